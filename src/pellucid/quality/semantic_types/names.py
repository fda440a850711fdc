"""Words in column names, in several languages. They support what the values show and never decide alone."""

from __future__ import annotations

import re
from typing import Any

_CAMEL = re.compile(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+|[%$€£¥]")

WORDS: dict[str, frozenset[str]] = {
    topic: frozenset(words.split())
    for topic, words in {
        "key": "id ids uid uuid guid pid key identifier identifiant kennung identificador ident pk hash token "
        "mrn schlüssel clave clé oid rowid userid custid patientid orderid studentid customerid productid",
        "numbering": "no nr num number nummer numero número numéro ref reference sn serial seq matricola matricula "
        "matrícula index idx номер",
        "entity": "customer client kunde patient subject proband user member account konto student pupil employee "
        "mitarbeiter person participant respondent donor household haushalt vendor supplier lieferant cust "
        "invoice order policy case claim ticket transaction contract booking receipt basket session shipment parcel "
        "sensor device meter station node vessel vehicle truck driver provider hospital school",
        "code": "code codes kode código codigo cod naics sic hs icd cpt sku upc ean isbn gtin asin mcc fips iso soc "
        "isco nace cpv ndc atc wmo iata icao article artikel plu",
        "category": "class subclass klasse type typ tipo category kategorie group gruppe grupo kind dept department "
        "abteilung division sector sektor industry zone region district bezirk cluster segment branch filiale "
        "channel kanal station line route status model model method species variety occupation state store shop "
        "site area territory country plant machine team",
        "zip": "zip zipcode zipcodes postal postcode postalcode plz postleitzahl cep cap pin pincode codepostal psč "
        "irsz postnummer postnr",
        "phone": "phone phonenumber telephone tel telefon telefono teléfono telefone téléphone mobile mobil cell "
        "cellphone handy fax celular whatsapp contact телефон",
        "year": "year years yr yyyy jahr année annee ano año anno rok år jaar год vintage baujahr jahrgang yearbuilt "
        "season built yob birthyear modelyear founded established constructed erected inaugurated renovated",
        "month": "month mon monat mois mes mese miesiąc maand månad месяц mm mnth",
        "weekday": "weekday wday dow wochentag dayofweek jour semana giorno weekdag",
        "day": "day tag jour día dia giorno dzień dag mday dom dd день",
        "hour": "hour hr hrs hh stunde heure hora ora godzina uur час",
        "minute": "minute min mins mi minuten minuto минут",
        "time": "time timestamp ts epoch date datum datetime created updated at when zeit unix unixtime fecha data "
        "dato ora heure hora moment dt modified arrival departure dep arr sched scheduled start end",
        "duration": "duration length runtime elapsed pace laptime took playtime dauer laufzeit spieldauer durée duree "
        "duración duracion durata duração",
        "period": "week weeks period quarter semester step tick t dose age trial lap round woche semaine semana",
        "grade": "rating score quality grade level stars star satisfaction severity stage rank likert agreement "
        "pain priority importance difficulty risk condition frequency quintile quartile decile tier education "
        "bewertung note stufe grad zufriedenheit qualität calidad niveau nivel tumor asa nyha ecog",
        "count": "count counts n num number nb anzahl qty quantity menge cantidad visits items rooms children "
        "freq clicks purchases events calls hits cnt",
        "money": "price cost revenue salary income fee fees fare wage payment budget profit preis kosten umsatz betrag "
        "gehalt lohn precio costo importe prix montant coût charges premium",
        "currency": "usd eur gbp chf jpy inr dollars dollar euros euro pounds $ € £ ¥",
        "percentage": "percent percentage pct perc prozent % porcentaje percentuale pourcentage",
        "share": "rate share ratio anteil quote taux fraction proportion probability prob utilization",
        "latitude": "lat latitude breite breitengrad latitud latitudine широта",
        "longitude": "lon lng long longitude länge längengrad longitud longitudine долгота",
        "rank": "rank ranking rang position place platz pos rango ordinal",
    }.items()
}


def name_words(name: Any) -> tuple[str, ...]:
    """The words of a column name in lower case, without digits.

    >>> name_words("ZipCode_2"), name_words("customerID"), name_words("HTTPStatus"), name_words("Umsatz (€)")
    (('zip', 'code'), ('customer', 'id'), ('http', 'status'), ('umsatz', '€'))
    """
    return tuple(word.lower() for word in _WORD.findall(_CAMEL.sub(" ", str(name))))


def names_topic(words: tuple[str, ...], topic: str) -> bool:
    """Does any of the words, or all of them joined, belong to the topic?

    >>> names_topic(("zip", "code"), "zip"), names_topic(("postal", "area"), "year")
    (True, False)
    """
    topic_words = WORDS[topic]
    return any(word in topic_words for word in words) or "".join(words) in topic_words


def ends_with_topic(words: tuple[str, ...], topic: str) -> bool:
    """Does the last word belong to the topic, as in "account number", unlike "number of accounts"?"""
    return bool(words) and (words[-1] in WORDS[topic] or "".join(words) in WORDS[topic])
