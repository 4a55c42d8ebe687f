"""As `engine.words.player`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "session.not-stepping": Wording(
        "Çalışma {run} sürüyor ve mikro partilerini kimse izlemiyor: yeniden oynatılacak bir pencere beklemiyor.",
        "Önce duraklatın ya da ağır çekimde sürdürün.",
    ),
    "run.replay-no-window": Wording("Sürmekte olan bir pencere yok.", "Sonraki mikro partiden önce yeniden isteyin."),
    "run.replay-several": Wording(
        "Bu pencere yeniden oynatılamaz: satırları birkaç süreç arasında paylaşıldı.",
        "Bir pencereyi yeniden oynatmak için tek süreçle eğitin; Kanıtla sekmesi bütün etkili partiyi karşılaştırır.",
    ),
    "run.replay-no-rows": Wording(
        "Bu pencere yeniden oynatılamaz: satırları, veriyi yükleyen süreçlerde duruyor.",
        "training.dataloader_num_workers değerini 0 yapın.",
    ),
    "run.replay-steps": Wording(
        "training.optim {name} ile bir pencere yeniden oynatılamaz: ağırlıkları her geri yayılımın içinde değiştirir.",
        "Pencereleri karşılaştırmak için başka bir eniyileyici seçin.",
    ),
    "run.replay-failed": Wording("Pencere yeniden oynatılamadı: {reason}. Çalışma eskisi gibi.", ""),
}
