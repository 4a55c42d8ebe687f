"""As `engine.words.noise`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "noise.finished": Wording("Gradyan gürültüsü kestirildi.", ""),
    "noise.request": Wording("Bu bir gürültü kestirimi isteği değil.", "1 ile {most} arasında pencere isteyin."),
    "noise.one-micro-batch": Wording(
        "Gradyan gürültüsü mikro partilerin birbirinden farkında görülür; tek mikro partinin karşılaştırılacağı bir "
        "şey yok.",
        "gradient_accumulation_steps değerini en az 2 yapın.",
    ),
}
