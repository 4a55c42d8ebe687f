"""As `engine.words.memory`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "memory.quantized": Wording(
        "Ağırlıkları az bitle yüklenen bir modelin aldığı bellek öngörülemez.",
        "Ölçün: `birikim memory CONFIG --measure` ya da Bellek sekmesinde gerçek bir adım.",
    ),
    # ---- the memory of a window ----
    "memory.not-reckoned": Wording(
        "Bu ayarların belleği çalıştırılmadan hesaplanamıyor: {problem}.",
        "Gerçek bir pencereyi ölçün: sayfada röntgen, komut satırında --measure.",
    ),
    "memory.measured": Wording("Bellek ölçüldü.", ""),
    "memory.request": Wording(
        "Bu bir ölçüm isteği değil.", "Tam sayıda satır ve adımdan oluşan en çok {most} plan isteyin."
    ),
    "fit.budget": Wording(
        "“{value}” bir bellek bütçesi değil.", "8GiB gibi bir büyüklük ya da {card} gibi bir kart adı yazın."
    ),
    "fit.nothing": Wording(
        "{budget} içine tek bir satır bile sığmıyor: {least} gerekir.",
        "data.max_length değerini kısaltın ya da training.activation_checkpointing, training.bf16 veya lora ayarlayın.",
    ),
    "memory.no-answer": Wording(
        "Belleği hesaplayan süreç yanıt vermeden kapandı.", "Yeniden sorun; süreç baştan başlar."
    ),
    # ---- memory ----
    "memory.peak-forward": Wording("Tepe noktası: {micro_batch}. mikro partinin ileri geçişi, {module}.", ""),
    "memory.peak-backward": Wording("Tepe noktası: {micro_batch}. mikro partinin geri yayılımı, {module}.", ""),
    "memory.peak-update": Wording("Tepe noktası: gradyanların kırpıldığı ve ağırlıkların değiştiği güncelleme.", ""),
    "memory.unseen-cpu": Wording(
        "Bunlar tensörlerdir. Python ve kitaplıklar ayrıca 0,5 ile 1 GiB arası, veri de kendi büyüklüğü kadar alır.", ""
    ),
    "memory.unseen-cuda": Wording(
        "Bunlar tensörlerdir. GPU daha çoğunu alır: bağlamı, genellikle 0,3 ile 0,6 GiB; kitaplıkların çalışma "
        "alanları, genellikle 10 ile 100 MiB; ayırıcının blokları arasındaki boşluklar, genellikle tepenin %2 ile "
        "%10'u.",
        "",
    ),
    "memory.unseen-mps": Wording(
        "Bunlar tensörlerdir. GPU daha çoğunu alır: sürücüsü, genellikle 0,2 ile 0,5 GiB; ayırıcının blokları "
        "arasındaki boşluklar, genellikle tepenin %2 ile %10'u.",
        "",
    ),
    "memory.too-many-tokens": Wording(
        "{length} tokenlik {rows} satırlı bir mikro parti, hesaplanabilen en çok {most} tokenden fazla.",
        "Daha küçük bir mikro parti seçin.",
    ),
    "memory.cannot-predict": Wording(
        "{architecture} için bellek öngörülemiyor: {reason}.", "Cihazda --measure ile ölçün."
    ),
    "memory.no-device": Wording(
        "“{field}” {value} olamaz: ölçülen, bu makinenin {here} cihazında ölçülür.",
        "Bunu ya da --measure seçeneğini çıkarın.",
    ),
}
