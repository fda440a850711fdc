"""Names of months and of weekdays, full and short, in several languages, with their places in the year and week."""

from __future__ import annotations

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januar februar märz april mai juni juli august september oktober november dezember
jan feb mär apr mai jun jul aug sept okt nov dez
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago sep oct nov dic
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
"""
_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday
mon tue wed thu fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonntag
mo di mi do fr sa so
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
lunedì martedì mercoledì giovedì venerdì sabato domenica
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
"""


def _places(lines: str) -> dict[str, int]:
    return {word: number for line in lines.strip().splitlines() for number, word in enumerate(line.split(), 1)}


MONTHS = _places(_MONTHS)
WEEKDAYS = _places(_WEEKDAYS)
