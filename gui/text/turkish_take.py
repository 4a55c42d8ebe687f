"""The words of what is taken away from a run in Turkish."""

from __future__ import annotations

TAKE: dict[str, str] = {
    "take.title": "Yanına al",
    "take.model": "Model",
    "take.model.about": "Zip içinde transformers klasörü: ağırlıklar, tokenizer, model kartı; LoRA içine katılmış",
    "take.adapter": "Adaptör",
    "take.adapter.about": "LoRA adaptörü tek başına, peft için",
    "take.script": "Betik",
    "take.script.about": "Aynı kayıpları Birikim olmadan, hazır Trainer ile veren düz Python; satırlar ve ilk "
    "ağırlıklar zip içinde",
    "take.notebook": "Defter",
    "take.notebook.about": "Betiğin defter hâli, her adımdan önce bir açıklama",
    "take.run": "Çalışma",
    "take.run.about": "Kaydedilen her şey; başka bir evin Çalışmalar sekmesinde içe aktarılır; ağırlıklar ve kontrol "
    "noktaları olmadan",
    "take.yaml": "YAML",
    "take.yaml.about": "Çalışmanın yapılandırması",
    "take.csv": "CSV",
    "take.csv.about": "Ölçümler, güncelleme başına bir satır",
    "take.parquet": "Parquet",
    "take.parquet.about": "Ölçümler, sütunlar hâlinde",
    "take.html": "Rapor",
    "take.html.about": "Grafikler, yapılandırma ve sonuçlarla tek HTML dosyası; ağ olmadan açılır",
    "take.working": "yazılıyor…",
    "take.done": "{name} · {size}",
    "take.line": "accelerate ile",
    "take.copy": "Kopyala",
    "take.copied": "Kopyalandı",
    "take.hub": "Hub’a: komut satırında birikim push {run} sahip/ad; o makinenin anahtarıyla.",
    "take.lost": "Program yanıt vermiyor.",
}
