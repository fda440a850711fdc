# Written by tools/write_stubs.py.
from pellucid.svm.linear_svc import LinearSVC as LinearSVC
from pellucid.svm.linear_svr import LinearSVR as LinearSVR
from pellucid.svm.svc import SVC as SVC
from pellucid.svm.svr import SVR as SVR

__all__ = ["SVC", "SVR", "LinearSVC", "LinearSVR"]
