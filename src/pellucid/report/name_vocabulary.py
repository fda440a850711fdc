"""Words in the names of columns that hint at what a column holds: supporting evidence, never the only one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_PARTS: dict[str, tuple[str, ...]] = {
    part: tuple(words.split())
    for part, words in {
        "year": "year yr yyyy yy fy jahr annee ano anio anno jaar rok aar yil yl vuosi tahun nen nian god",
        "quarter": "quarter qtr quartal trimestre kwartaal kvartal ceyrek",
        "month": "month mnth mon mo mm monat mois mes mese maand miesiac mesic manad maned ay kuukausi bulan mesyats",
        "week": "week wk weeknum kw woche semaine semana settimana kalenderwoche vecka uge tydzien viikko hafta minggu",
        "day_of_year": "doy yday dayofyear julianday",
        "day": "day dd dom mday dayofmonth tag jour dia giorno dag dzien den gun paiva hari",
        "hour": "hour hr hh stunde std uhr heure hora ora uur timme godzina saat tunti jam",
        "minute": "minute min mins minuto",
        "second": "second sec sekunde seconde segundo",
    }.items()
}
# Names in other scripts, of which no Latin letter would be left.
_OTHER_SCRIPTS = {
    "\u5e74": "year", "\u6708": "month", "\u65e5": "day", "\u65f6": "hour", "\u6642": "hour",
    "\u0433\u043e\u0434": "year",
    "\u043c\u0435\u0441\u044f\u0446": "month", "\u0434\u0435\u043d\u044c": "day", "\u0447\u0430\u0441": "hour",
    "\u5b63\u5ea6": "quarter", "\u5468": "week", "\uc5f0\ub3c4": "year", "\uc6d4": "month", "\uc77c": "day",
    "\u65e5\u671f": "date", "\u65e5\u4ed8": "date", "\u0434\u0430\u0442\u0430": "date", "\ub0a0\uc9dc": "date",
}  # fmt: skip
_PART_OF = {word: part for part, words in _PARTS.items() for word in words}
_NOT_PARTS = {"weekday", "dow", "wday", "dayofweek", "wochentag", "workingday", "holiday"}
_FILLERS = {"number", "num", "no", "nr", "of", "the", "date", "index"}
TIME_WORDS = {
    *_PART_OF, "date", "datetime", "time", "timestamp", "ts", "epoch", "unix", "utc", "datum", "fecha", "data", "zeit",
    "tiempo", "temps", "when", "at", "period", "jd", "mjd", "bjd", "hjd", "julian", "step", "tick", "t",
    "season", "saison", "temporada", "elapsed", "uptime", "frame", "unixtime", "unixts",
}  # fmt: skip
JULIAN_WORDS = {"jd", "mjd", "bjd", "hjd", "julian"}
# A date of origin says how old the thing in the row is, not when the row was recorded.
ORIGIN_WORDS = {
    "birth", "born", "dob", "birthdate", "birthday", "birthyear", "yob", "geburt", "geburtsdatum", "geburtsjahr",
    "geboren", "naissance", "nacimiento", "nascita", "nascimento", "built", "build", "construction", "constructed",
    "baujahr", "bouwjaar", "founded", "founding", "foundation", "established", "inception", "incorporated",
    "gruendung", "manufacture", "manufactured", "manufacturing", "production", "produced", "model", "modelyear",
    "vintage", "mfg", "made", "renovated", "renovation", "remodeled", "remod", "publication", "release", "released",
    "hire", "hired", "hiring", "joined", "since", "signup", "sign", "registered", "registration", "install",
    "installed", "installation", "planted", "commissioned", "debut", "graduation", "geb", "erstzulassung",
    "zulassung", "eintritt", "eintrittsdatum", "haltbar", "mhd", "ablauf", "ablaufdatum", "gueltig", "herstellung",
    "herstelldatum", "gepflanzt", "immatriculation", "embauche", "peremption", "fundacion", "construccion",
    "fabricacion", "vencimiento", "caducidad", "matriculacion", "contratacion", "maiden", "erected", "diagnosis",
    "diagnosed", "expiry", "expiration", "expires", "warranty", "license", "licence", "patent", "discovered",
    "discovery",
}  # fmt: skip
_ANIMALS = {"cow", "sheep", "mouse", "rat", "dog", "mare", "horse", "pig", "rabbit", "monkey", "ewe", "sow"}
_ENTITIES = {
    *_ANIMALS,
    "bag", "maschine", "anlage", "fahrzeug", "sitzung", "fahrer", "betrieb", "stall", "arzt", "praxis",
    "messstelle", "schueler", "haushalt", "filiale", "maquina", "vehiculo", "sesion", "alumno", "escuela", "sitio",
    "parcela", "estacion", "hogar", "tienda", "vehicule", "seance", "eleve", "ecole", "parcelle", "foyer",
    "magasin", "hopital", "macchina", "paziente", "veicolo", "negozio", "klant", "voertuig", "pacjent", "klient",
    "maszyna", "individual", "unidad", "hh", "subj", "cust", "pat", "pt", "usr", "emp", "stud", "ptid", "custid",
    "userid", "subjid", "patid", "patient", "subject", "participant", "customer", "client", "user", "member",
    "person", "people", "household", "family", "site", "hospital", "clinic", "center", "centre", "school",
    "classroom", "student", "pupil", "teacher", "sensor", "device", "machine", "engine", "unit", "station", "well",
    "borehole", "plot", "field", "farm", "herd", "animal", "cow", "sheep", "batch", "lot", "video", "clip", "image",
    "img", "scan", "session", "speaker", "author", "writer", "player", "athlete", "team", "molecule", "compound",
    "scaffold", "cluster", "plate", "slide", "donor", "sample", "specimen", "vehicle", "driver", "truck", "vessel",
    "store", "shop", "branch", "account", "contract", "company", "firm", "employee", "worker", "judge", "court",
    "case", "lake", "river", "tree", "plant", "star", "galaxy", "object", "source", "litter", "cage", "mouse",
    "rat", "cell", "line", "visitor", "respondent", "borrower", "supplier", "vendor", "host", "owner", "meter",
    "turbine", "panel", "building", "house", "paciente", "kunde", "proband", "standort", "klinik", "schule",
    "patienten", "cliente", "sujet",
}  # fmt: skip
# Places where things are recorded: even a few of them are not all there are.
_SITES = {
    "maschine", "anlage", "betrieb", "stall", "praxis", "messstelle", "maquina", "escuela", "sitio", "parcela",
    "estacion", "ecole", "parcelle", "hopital", "macchina", "maszyna", "turbine", "sensor", "device", "session",
    "vehicle", "site", "hospital", "clinic", "center", "centre", "school", "classroom", "station", "farm", "herd",
    "plot", "batch", "lot", "plate", "subject", "patient", "participant", "speaker", "donor", "animal", "machine",
    "well", "lake", "standort", "klinik", "schule", "proband", "paciente", "sujet", "customer", "person",
    "household", "family", *_ANIMALS,
}  # fmt: skip
# What occurs again in new rows, even if it has a number.
_RECURRING = {
    "product", "item", "sku", "category", "cat", "city", "town", "country", "state", "region", "district", "county",
    "zip", "zipcode", "postcode", "postal", "plz", "airport", "origin", "dest", "destination", "route", "carrier",
    "airline", "brand", "make", "model", "genre", "department", "dept", "job", "occupation", "icd", "diagnosis",
    "procedure", "drug", "currency", "language", "lang", "type", "kind", "group", "species", "gene", "color",
    "colour", "article", "artikel", "produkt", "producto", "produit", "articulo", "ort", "ciudad", "ville", "stadt",
    "land", "pais", "flughafen", "phone", "telefon", "ean", "gtin", "isbn", "size", "age", "count", "weight",
    "height", "amount", "price", "quantity", "score", "grade", "level", "rank",
}  # fmt: skip
_ID_WORDS = {
    "id", "ids", "uid", "uuid", "guid", "no", "nr", "ref", "pid", "sid", "identifier", "vin", "imei", "ssn", "iban",
    "mac", "serial", "kennzeichen", "kennung",
}  # fmt: skip
_ID_WORDS_AT_END = {"number", "num", "code", "key", "name", "label", "hash", "pseudonym", "tag"}
_ID_ENDINGS = ("nummer", "kennung")  # of compound words, such as Kundennummer
# What is usually recorded when, or after, the outcome is known.
_AFTER_PAIRS = (
    {"air", "time"}, {"taxi", "in"}, {"wheels", "on"}, {"end", "date"}, {"end", "time"}, {"exit", "date"},
    {"follow", "up"}, {"survival", "time"}, {"survival", "days"}, {"survival", "months"}, {"time", "event"},
)  # fmt: skip
_AFTER_WORDS = {
    "arrival", "arrived", "arr", "discharge", "discharged", "outcome", "closed", "resolved", "resolution",
    "settled", "settlement", "refund", "refunded", "final", "finished", "finish", "completed", "completion", "actual",
    "delivered", "returned", "cancelled", "canceled", "cancellation", "churned", "terminated", "termination",
    "death", "deceased", "died", "recovered", "recovery", "collections", "chargeoff", "verdict", "ended", "payout",
    "landing", "elapsed", "autopsy", "after", "afterwards", "followup", "subsequent", "entlassung", "ankunft",
    "abschluss", "llegada", "arrivee", "sortie", "salida", "aankomst",
}  # fmt: skip


_MEASURES = {
    "value", "median", "mean", "avg", "average", "total", "sum", "rate", "ratio", "area", "age", "count", "weight",
    "height", "price", "amount", "income", "size", "score", "percent", "pct", "length", "width", "capacity", "cost",
    "duration", "seconds", "minutes", "hours", "days", "weeks", "months", "years",
}  # fmt: skip
_COORDINATES = {"lat", "latitude", "lon", "long", "lng", "longitude", "easting", "northing", "utm", "breitengrad"}
_BOOKINGS = {"booking", "booked", "reservation", "reserved", "appointment", "buchung", "reserva", "scheduling"}
# What is laid down beforehand, though it lies in the future.
_PLANNED_WORDS = {
    "scheduled", "sched", "schedule", "planned", "plan", "expected", "estimated", "est", "promised", "due", "deadline",
    "booked", "booking", "forecast", "predicted", "target", "sla", "quoted", "requested", "valid", "expiry", "expires",
}  # fmt: skip


def plain_text(text: str) -> str:
    """A text in lower case, without accents.

    >>> plain_text("Février")
    'fevrier'
    """
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def name_tokens(name: str) -> list[str]:
    """The words of a name in lower case, without accents and digits.

    >>> name_tokens("arrivalDate_Year2"), name_tokens("Année"), name_tokens("PatientID")
    (['arrival', 'date', 'year'], ['annee'], ['patient', 'id'])
    """
    name = _OTHER_SCRIPTS.get(name.strip().lower(), name)
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
    return re.findall(r"[a-z]+", spaced.lower())


_LETTERS = ({"y": "year", "m": "month", "d": "day", "h": "hour"}, {"j": "year", "m": "month", "t": "day", "h": "hour"},
            {"a": "year", "m": "month", "d": "day", "h": "hour"})  # fmt: skip


def parts_by_letter(names: Sequence[str]) -> dict[str, str]:
    """Columns that are named by the first letters of year, month and day, all three of which there must be, by part.

    >>> parts_by_letter(["y", "m", "d", "h", "x"]), parts_by_letter(["y", "m", "x"])
    ({'year': 'y', 'month': 'm', 'day': 'd', 'hour': 'h'}, {})
    """
    by_letter = {name.lower(): name for name in names if len(name) == 1}
    for letters in _LETTERS:
        parts = {part: by_letter[letter] for letter, part in letters.items() if letter in by_letter}
        if {"year", "month", "day"} <= set(parts):
            return parts
    return {}


def part_of_time(name: str) -> tuple[str, str] | None:
    """Which part of a time a name speaks of, and whose: the other words of the name; None if it is no part.

    >>> part_of_time("arrival_date_day_of_month"), part_of_time("weekday"), part_of_time("monthly_fee")
    (('day', 'arrival'), None, None)
    """
    tokens = name_tokens(name)
    if _NOT_PARTS & set(tokens) or not tokens:
        return None
    parts = [_PART_OF[token] for token in tokens if token in _PART_OF]
    if "of" in tokens and len(parts) == 2:
        if parts[1] == "week":
            return None
        parts = ["day_of_year" if parts == ["day", "year"] else parts[0]]
    if len(parts) != 1:
        return None
    rest = [token for token in tokens if token not in _PART_OF and token not in _FILLERS]
    return parts[0], " ".join(rest)


def speaks_of_time(name: str) -> bool:
    """Does a word of the name mean a time?"""
    return bool(TIME_WORDS & set(name_tokens(name)))


def speaks_of_origin(name: str) -> bool:
    """Does the name speak of a birth, a construction, a foundation or the like?"""
    return bool(ORIGIN_WORDS & set(name_tokens(name)))


def speaks_of_entity(name: str) -> bool:
    """Does the name speak of somebody or something that may occur in several rows?"""
    tokens = set(name_tokens(name))
    return bool(_ENTITIES & tokens)


def names_an_entity(name: str) -> bool:
    """Is the name that of an entity or of its identifier, rather than of one of its properties?

    >>> [names_an_entity(name) for name in ("lot", "lot_no", "id_paciente", "store_number", "lot_frontage")]
    [True, True, True, True, False]
    """
    tokens = name_tokens(name)
    while len(tokens) > 1 and tokens[-1] in _ID_WORDS | _ID_WORDS_AT_END:
        tokens.pop()
    return bool(tokens) and tokens[-1] in _ENTITIES


def speaks_of_identifier(name: str) -> bool:
    """Does the name call itself an identifier?

    >>> [speaks_of_identifier(name) for name in ("patient_id", "CustomerNo", "id_socio", "Kundennummer", "humid")]
    [True, True, True, True, False]
    """
    tokens = name_tokens(name)
    ends = {*tokens[-1:], *(token for token in tokens[:1] if token in ("id", "nr"))}
    return bool(_ID_WORDS & ends) or any(token.endswith(_ID_ENDINGS) for token in tokens)


def speaks_of_site(name: str) -> bool:
    """Does the name speak of an entity of which even a few are only a sample?"""
    return bool(_SITES & set(name_tokens(name)))


def speaks_of_recurring(name: str) -> bool:
    """Does the name speak of a category that occurs again in new rows, or of a measure?

    >>> [speaks_of_recurring(name) for name in ("product_id", "Artikelnummer", "patient")]
    [True, True, False]
    """
    tokens = name_tokens(name)
    roots = {token.removesuffix(ending) for token in tokens for ending in _ID_ENDINGS}
    return bool(_RECURRING & {*tokens, *roots})


def speaks_of_measure(name: str) -> bool:
    """Does the name speak of a number that is measured or counted, such as the age of a customer?

    >>> [speaks_of_measure(name) for name in ("medianHouseValue", "days_in_field", "house")]
    [True, True, False]
    """
    return bool(_MEASURES & set(name_tokens(name)))


def speaks_of_afterward(name: str) -> bool:
    """Does the name speak of something that is usually known only after the outcome?"""
    tokens = set(name_tokens(name))
    return bool(_AFTER_WORDS & tokens) or any(words <= tokens for words in _AFTER_PAIRS)


def speaks_of_coordinates(name: str) -> bool:
    """Does the name speak of a place on a map?"""
    return bool(_COORDINATES & set(name_tokens(name)))


def speaks_of_booking(name: str) -> bool:
    """Does the name speak of an arrangement of something that will take place later?"""
    return bool(_BOOKINGS & set(name_tokens(name)))


def speaks_of_plans(name: str) -> bool:
    """Does the name speak of something that is laid down beforehand?"""
    return bool(_PLANNED_WORDS & set(name_tokens(name)))
