#include "core/linalg/lapack.hpp"

#include "bind/arrays.hpp"

namespace pellucid::bind {
namespace {

// SciPy exports each routine as a capsule whose name is its C signature.
template <class F>
void take(const nb::object& table, const char* name, F& into) {
    const nb::object capsule = table[name];
    into = reinterpret_cast<F>(PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr())));
    if (into == nullptr) throw nb::python_error();
}

}  // namespace

void ensure_lapack() {
    static bool done = false;  // the GIL is held here
    if (done) return;
    const nb::object blas = nb::module_::import_("scipy.linalg.cython_blas").attr("__pyx_capi__");
    const nb::object routines = nb::module_::import_("scipy.linalg.cython_lapack").attr("__pyx_capi__");
    Lapack table{};
    take(routines, "dpotrf", table.dpotrf);
    take(routines, "dpotrs", table.dpotrs);
    take(routines, "dpocon", table.dpocon);
    take(routines, "dtrcon", table.dtrcon);
    take(routines, "dgeqrf", table.dgeqrf);
    take(routines, "dlarft", table.dlarft);
    take(routines, "dlarfb", table.dlarfb);
    take(routines, "dormqr", table.dormqr);
    take(blas, "dtrsm", table.dtrsm);
    take(blas, "dgemm", table.dgemm);
    set_lapack(table);
    done = true;
}

}  // namespace pellucid::bind
