"""Colors of pictures: Okabe and Ito's set, which readers with any common kind of color blindness can tell apart."""

BLUE = "#0072B2"
GREEN = "#009E73"
VERMILION = "#D55E00"
SKY = "#56B4E9"
ORANGE = "#E69F00"
PURPLE = "#CC79A7"
YELLOW = "#F0E442"
BROWN = "#7A4B1E"
VIOLET = "#5E3C99"
INK = "#333333"
GRAY = "#8C8C8C"
MARK = "#000000"

CLASSES = [BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, INK, YELLOW, BROWN, VIOLET]


def mixed(color: str, strength: float) -> str:
    """A color on white, as strong as this share of itself.

    >>> mixed("#0072B2", 1.0), mixed("#000000", 0.2)
    ('#0072B2', '#CCCCCC')
    """
    parts = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - strength * (255 - part)):02X}" for part in parts)


def class_color(k: int) -> str:
    """The color of class k: ten that differ, the same ten paler, then gray. More cannot be told apart.

    >>> class_color(0), class_color(10), class_color(99)
    ('#0072B2', '#80B8D8', '#8C8C8C')
    """
    if k < len(CLASSES):
        return CLASSES[k]
    return mixed(CLASSES[k - len(CLASSES)], 0.5) if k < 2 * len(CLASSES) else GRAY
