"""Speed, memory and quality beside the peers, in one run: ``python -m benchmarks`` from the root of the repository.

One file a family, each with a list ``WORKLOADS``; the frame that runs them is in ``frame/``. See ``README.md``.
"""
