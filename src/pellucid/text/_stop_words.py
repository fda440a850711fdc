"""English words that say little about what a text is about."""

from __future__ import annotations

_WORDS = """
a about above after again against all almost alone along already also although always am among an and another any
anybody anyone anything anywhere are around as at away
be became because become becomes been before began behind being below between beyond both but by
came can cannot could
did do does doing done down during
each either else enough even ever every everybody everyone everything everywhere except
few for from further
get gets give given goes got
had has have having he hence her here hers herself him himself his how however
if in indeed instead into is it its itself
just
least less let like
made make many may me meanwhile might mine more moreover most mostly much must my myself
namely neither never nevertheless next no nobody none nor not nothing now nowhere
of off often on once one only onto or other others otherwise our ours ourselves out over own
per perhaps please put
quite
rather re really regarding
same say says see seem seemed seems several shall she should since so some somebody somehow someone something sometimes
somewhere still such
take than that the their theirs them themselves then there therefore these they this those though through throughout
thus to together too toward towards
under unless until up upon us use used using
very via
was way we well were what whatever when whenever where whereas wherever whether which while who whoever whole whom whose
why will with within without would
yet you your yours yourself yourselves
don didn doesn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn ain ll ve
"""

ENGLISH_STOP_WORDS: frozenset[str] = frozenset(_WORDS.split())
