# Written by tools/write_stubs.py.
from pellucid.quality.accumulator import Accumulator as Accumulator
from pellucid.quality.associations import correlation_ratio as correlation_ratio
from pellucid.quality.associations import cramers_v as cramers_v
from pellucid.quality.checking import check as check
from pellucid.quality.checking import list_checks as list_checks
from pellucid.quality.cleaner import Cleaned as Cleaned
from pellucid.quality.cleaner import Cleaner as Cleaner
from pellucid.quality.described import Associations as Associations
from pellucid.quality.described import ColumnProfile as ColumnProfile
from pellucid.quality.described import Profile as Profile
from pellucid.quality.duplicates import ExactDuplicates as ExactDuplicates
from pellucid.quality.duplicates import NearDuplicates as NearDuplicates
from pellucid.quality.duplicates import exact_duplicates as exact_duplicates
from pellucid.quality.duplicates import near_duplicates as near_duplicates
from pellucid.quality.findings import Finding as Finding
from pellucid.quality.findings import Findings as Findings
from pellucid.quality.findings import Fix as Fix
from pellucid.quality.log import Change as Change
from pellucid.quality.log import ChangeLog as ChangeLog
from pellucid.quality.profiling import profile as profile
from pellucid.quality.reading import Reading as Reading
from pellucid.quality.reading import read as read
from pellucid.quality.rules import Rule as Rule
from pellucid.quality.streaming import FileProfile as FileProfile
from pellucid.quality.streaming import profile_file as profile_file
from pellucid.quality.summary import ColumnSummary as ColumnSummary
from pellucid.quality.writing import write_cleaned as write_cleaned

__all__ = [
    "Accumulator",
    "Associations",
    "Change",
    "ChangeLog",
    "Cleaned",
    "Cleaner",
    "ColumnProfile",
    "ColumnSummary",
    "ExactDuplicates",
    "FileProfile",
    "Finding",
    "Findings",
    "Fix",
    "NearDuplicates",
    "Profile",
    "Reading",
    "Rule",
    "check",
    "correlation_ratio",
    "cramers_v",
    "exact_duplicates",
    "list_checks",
    "near_duplicates",
    "profile",
    "profile_file",
    "read",
    "write_cleaned",
]
