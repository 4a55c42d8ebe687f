"""As `engine.words.proofs`."""

from __future__ import annotations

from engine.words.wording import Wording

WORDS: dict[str, Wording] = {
    "proof.quantized": Wording(
        "Az bitle yüklenen ağırlıklarla fp64'te hesap yapılamaz.", "fp32'de kanıtlayın ya da quantization'ı çıkarın."
    ),
    # ---- a proof ----
    "proof.finished": Wording("Kanıt tamamlandı.", ""),
    "proof.request": Wording(
        "Bu bir kanıt isteği değil.", "En çok {most} plan, fp32 ya da fp64 ve en çok {updates} güncelleme isteyin."
    ),
    "proof.other-window": Wording(
        "{plan}, çalışmanın {own} penceresinden başka bir pencere.", "Çarpımı {rows} satır olan planlar seçin."
    ),
    "proof.exact": Wording(
        "Kesin, hata {error}: {plan}, {rows} satır ve {targets} hedeflik tek bir partinin gradyanını verir.", ""
    ),
    "proof.close": Wording(
        "Eşit, hata {error}; fp32'de bu yuvarlama da olabilir, yanlış da: {plan}, {rows} satır ve {targets} hedeflik "
        "tek bir partiye karşı.",
        "fp64'te kanıtlayın.",
    ),
    "proof.wrong": Wording("Yanlış, hata {error}: {plan}, {rows} satırlık tek bir partinin gradyanını vermiyor.", ""),
    "proof.own-loss": Wording(
        "Çalışmanın kaybı modelin kendi ortalaması değil ({loss}; modele göre {own}); {plan} mikro partilerinde kendi "
        "büyük partisine {error} hatayla eşit.",
        "İkisi aynı olmalıysa, unutulmuş bir etiket kaydırması ya da başka bir hedef sayısı arayın.",
    ),
    "proof.own-loss-wrong": Wording(
        "Çalışmanın {plan} ile kaybı, tek büyük partideki aynı kayıptan {error} uzakta.",
        "Kayıpların toplamını num_items_in_batch ile bölün.",
    ),
    "proof.trainer-exact": Wording("Hazır Trainer da burada doğru.", ""),
    "proof.trainer-scaled": Wording("Hazır Trainer burada {ratio} kat büyük olurdu.", ""),
    "proof.trainer-small": Wording("Hazır Trainer burada doğru büyüklüğün {ratio} katı çıkardı.", ""),
    "proof.trainer-off": Wording("Hazır Trainer burada {error} hatalı olurdu.", ""),
    "proof.trainer-both": Wording(
        "Hazır Trainer kendi büyük partisiyle uyuşuyor, ikisi de modelin kendi ortalamasının {ratio} katı.", ""
    ),
    "proof.means-exact": Wording(
        "Ortalamaların ortalaması burada doğru, çünkü her mikro partide aynı sayıda hedef var.", ""
    ),
    "proof.means-off": Wording("Ortalamaların ortalaması {error} hatalı olurdu.", ""),
    "proof.rows": Wording(
        "Bütün satırları tutan tek parti sığmıyor; ölçüt, tek satırlık en küçük mikro partilerdir.", ""
    ),
    "proof.cause-random-inside": Wording("Model, ileri geçişinde rastgele çekiyor: {seen}.", ""),
    "proof.cause-batch-statistics": Wording(
        "Model, parti istatistikleriyle normalleştiriyor; bir mikro parti, büyük partinin gördüğünden başka bir model "
        "görüyor; {seen}. Kayıpları ağırlıklandırmak bunu eşitleyemez.",
        "İstatistikleri dondurun ya da her satırı kendi başına normalleştiren bir model kullanın.",
    ),
    "proof.cause-auxiliary-loss": Wording(
        "Kaybın, hedefler üzerinden ortalama olmayan bir parçası var, örneğin uzmanların dengesi; {seen}.",
        "Modelin yapılandırmasında katsayısını 0 yapın ya da mikro partiye bağlı olduğunu kabul edin.",
    ),
    "proof.cause-experts-full": Wording(
        "Modelin uzmanları bir partiden belli sayıda token alıyor, gerisini atıyor; {seen}.",
        "Modelin yapılandırmasında kapasitelerini yükseltin.",
    ),
    "proof.cause-padding": Wording(
        "Modelin çıktıları dolgunun genişliğiyle değişiyor; {seen}.",
        "Uzunlukları eşit veri seçin ya da güncellemenin dolguya bağlı olduğunu kabul edin.",
    ),
    "proof.cause-rows-mixed": Wording("Model, bir satırı başka satırların yanında farklı hesaplıyor: {seen}.", ""),
    "proof.cause-not-a-mean": Wording(
        "Kaybı hedefleri üzerinden bir ortalama değil; kanıt bunun nedenini adlandıramıyor.", ""
    ),
    # ---- every head ----
    "heads.none": Wording(
        "“{name}” adlı başlık yok.",
        "Bert gibi bir model sınıfının adından bir parça ya da T5For* gibi bir kalıp yazın.",
    ),
    "heads.column-head": Wording("model sınıfı", ""),
    "heads.column-task": Wording("görev", ""),
    "heads.column-ours": Wording("Birikim", ""),
    "heads.column-means": Wording("ortalamaların ortalaması", ""),
    "heads.column-stock": Wording("hazır Trainer", ""),
    "heads.column-norm": Wording("normu", ""),
    "heads.column-way": Wording("yolu", ""),
    "heads.column-notes": Wording("notlar", ""),
    "heads.cannot-save": Wording("{path} yazılamıyor: {reason}.", "Başka bir dosya seçin."),
}
