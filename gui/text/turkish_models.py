"""The words of the model's card and of what saves memory in Turkish: the same names as `gui.text.english_models`."""

from __future__ import annotations

MODELS: dict[str, str] = {
    # Model alanının altındaki kart
    "card.architecture": "{name}",
    "card.parameters.k": "{count} bin parametre",
    "card.parameters.m": "{count} milyon parametre",
    "card.parameters.b": "{count} milyar parametre",
    "card.context": "{tokens} token",
    "card.licence": "{licence}",
    "card.chat": "sohbet şablonu var",
    "card.new-head": "bu görev için yeni başlık",
    "card.random": "rastgele ağırlıklar",
    "card.no-head": "bu görev için başlığı yok",
    "card.other-weights": "ağırlıkları {file} olarak; sayfa bunu okumaz",
    "card.own-code": "kendi kodunu ister; sayfa bunu çalıştırmaz",
    "card.quantized": "kuantize, bu yüzden eğitilemez",
    "card.gated": "yalnız izin isteyenlere açık",
    "card.elsewhere": "Başlat'ta Hub'dan indirilir",
    # Eniyileyici, cihaz ve bellek tasarrufu
    "form.optim": "Eniyileyici",
    "form.device": "Cihaz",
    "form.device.auto": "kendiliğinden",
    "form.savers": "Bellek tasarrufu",
    "form.checkpointing": "Aktivasyonları yeniden hesapla",
    "form.checkpointing.info": "gradient checkpointing: aynı güncelleme, daha çok süre",
    "form.freeze": "Dondurulan",
    "form.freeze.none": "hiçbir şey",
    "form.freeze.encoder": "kodlayıcı: yalnız başlık eğitilir",
    "form.lora": "LoRA: donmuş ağırlıkların yanında adaptörler",
    "form.lora-r": "Rank",
    "form.lora-alpha": "Alfa",
    "form.lora-dropout": "Dropout",
    "form.quantization": "Ağırlıkları yükle",
    "form.quantization.info": "LoRA ile",
    "form.quantization.none": "tam hassasiyetle",
    "form.quantization.8bit": "8 bitle",
    "form.quantization.4bit": "4 bitle",
}
