"""Turkish words for the reviews: nominal sentences, so that no word needs a suffix of person or past."""

from __future__ import annotations

from engine.datasets.reviews.language import Language
from engine.datasets.sentiment.turkish import capitalised

TURKISH = Language(
    things={
        "food": ("kahvaltı", "çorba", "kahve", "akşam yemeği", "balık"),
        "location": ("mahalle", "istasyona giden yol", "sokak", "manzara"),
        "price": ("fiyat", "hesap", "otopark ücreti", "indirim"),
        "room": ("oda", "yatak", "banyo", "balkon", "ısıtma"),
        "staff": ("resepsiyon görevlisi", "garson", "temizlikçi", "kapı görevlisi", "müdür"),
    },
    judged={
        1: ("berbat", "korkunç", "tam bir felaket", "yılların en kötüsü"),
        2: ("kötü", "hayal kırıklığı", "iyi değil", "beklenenden uzak"),
        3: ("orta hâlli", "idare eder", "ne iyi ne kötü", "başka yerlerden farksız"),
        4: ("iyi", "hoş", "hiç fena değil", "beklenenden iyi"),
        5: ("harika", "mükemmel", "tam bir keyif", "yılların en iyisi"),
    },
    clauses=(
        "{thing} {judged}",
        "bence {thing} {judged}",
        "doğrusu {thing} {judged}",
        "{thing}, söylemeliyim ki, {judged}",
        "kız kardeşime göre {thing} {judged}",
    ),
    facts=(
        "Martta bir cuma günü geldik.",
        "Bu ikinci gelişimizdi.",
        "Dört kişiydik.",
        "Pazar günü bir yürüyüşten sonra ayrıldık.",
        "Bütün hafta sonu yağmur yağdı.",
        "Burayı bir arkadaşımızdan duymuştuk.",
    ),
    capitalised=capitalised,
)
