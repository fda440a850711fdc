# Written by tools/write_stubs.py.
from pellucid.quality.findings import Finding as Finding
from pellucid.quality.findings import Findings as Findings
from pellucid.quality.findings import Remedy as Remedy

__all__ = ["Finding", "Findings", "Remedy"]
