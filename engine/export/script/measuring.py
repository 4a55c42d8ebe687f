"""The part of a script that evaluates: the mean loss over all targets, and the metrics that the run reports."""

from __future__ import annotations

from engine.export.script.recipe import Recipe
from engine.tasks.class_metrics import OneClass, SeveralClasses, SquaredError
from engine.tasks.metrics import Perplexity, PerplexityAndAccuracy
from engine.tasks.token_classification import TagMetrics


def scores(recipe: Recipe) -> str:
    """Two functions, `predicted` and `scores`; empty where the metrics follow from the loss alone."""
    kind = _kind(recipe)
    if kind is Perplexity:
        return ""
    text = {
        OneClass: _ONE_CLASS,
        SeveralClasses: _SEVERAL_CLASSES,
        SquaredError: _SQUARED_ERROR,
        PerplexityAndAccuracy: _TOKENS,
        TagMetrics: _TAGS,
    }[kind].strip()
    outside = getattr(_metrics(recipe), "outside", None)
    return text.replace("OUTSIDE", str(-1 if outside is None else outside))


def evaluation(recipe: Recipe, items: str) -> str:
    """The Trainer's method; `items` is an expression that counts the items of a batch."""
    kind = _kind(recipe)
    given = ""
    counted = ""
    if recipe.prepared.trainer.documented:
        counted = f"                items = torch.tensor({items}, device=self.args.device)\n"
        given = ", num_items_in_batch=items"
    # some optimizers train by other weights than those that they leave
    turned = "        self.optimizer.eval()\n" if "schedule_free" in str(recipe.config.setting("optim")) else ""
    started, asked, kept, told = "", f"loss = self.compute_loss(model, batch{given})", "", ""
    if kind is not Perplexity:
        started = "        said = []\n"
        asked = f"loss, outputs = self.compute_loss(model, dict(batch), return_outputs=True{given})"
        kept = '                said.append(predicted(outputs.logits, batch["labels"]))\n'
        told = "        values |= scores(*map(torch.cat, zip(*said)))\n"
    if issubclass(kind, Perplexity) and _is_plain(recipe):
        told += (
            '        if values["loss"] < 700:  # beyond, the exponential overflows\n'
            '            values["perplexity"] = math.exp(values["loss"])\n'
        )
    about = "The mean loss over all targets, whatever the size of a batch" + (", and the metrics." if told else ".")
    return f'''    evaluated_at = None

    def evaluation_loop(self, dataloader, description, *_, metric_key_prefix="eval", **more):
        """{about}"""
        model = self.model_wrapped
        model.eval()
{turned}        total, targets = torch.zeros((), dtype=torch.float64), 0
{started}        for window in dataloader:
            for batch, count in zip(window["micro_batches"], window["targets"]):
                batch = self._prepare_inputs(batch)
{counted}                with torch.no_grad():
                    {asked}
                total += loss.cpu().double() * count
                targets += count
{kept}        self.evaluated_at = self.state.global_step
        values = {{"loss": (total / targets).item()}}
{told}        metrics = {{f"{{metric_key_prefix}}_{{name}}": value for name, value in values.items()}}
        return EvalLoopOutput(predictions=None, label_ids=None, metrics=metrics, num_samples=len(dataloader.dataset))'''


def needs_math(recipe: Recipe) -> bool:
    return recipe.evaluates and issubclass(_kind(recipe), Perplexity) and _is_plain(recipe)


def _metrics(recipe: Recipe) -> object:
    new_metrics = recipe.prepared.trainer.new_metrics
    assert new_metrics is not None
    return new_metrics()


def _kind(recipe: Recipe) -> type:
    return type(_metrics(recipe))


def _is_plain(recipe: Recipe) -> bool:
    """Whether the loss is a mean of log-probabilities."""
    trainer = recipe.prepared.trainer
    return trainer.label_smoother is None and not trainer.documented


_ONE_CLASS = '''
def predicted(logits, labels):
    """Of each row the likeliest class, and its own."""
    return logits.argmax(-1).cpu(), labels.cpu()


def scores(found, labels):
    """Accuracy, and the mean over the classes of each one's F1, 2 · right / (predicted + actual)."""
    right = found == labels
    f1 = [
        2 * int((right & (labels == one)).sum()) / int((found == one).sum() + (labels == one).sum())
        for one in torch.cat([found, labels]).unique()
    ]
    return {"accuracy": int(right.sum()) / len(labels), "macro_f1": sum(f1) / len(f1)}
'''

_SEVERAL_CLASSES = '''
def predicted(logits, labels):
    """Of each row and class whether it is said, and whether it is so; above 0 a logit is a yes."""
    return (logits > 0).cpu(), (labels > 0.5).cpu()


def scores(found, labels):
    """F1 over all pairs of row and class as one, and the share of pairs that are right."""
    yes = int(found.sum() + labels.sum())
    f1 = {"micro_f1": 2 * int((found & labels).sum()) / yes} if yes else {}
    return {**f1, "label_accuracy": int((found == labels).sum()) / labels.numel()}
'''

_SQUARED_ERROR = '''
def predicted(logits, labels):
    """Of each row the number that is said, and its own."""
    return logits.flatten().cpu().double(), labels.cpu().double()


def scores(found, labels):
    """The mean over rows of (found − right)²."""
    return {"mean_squared_error": float((found - labels).square().sum()) / len(labels)}
'''

_TOKENS = '''
def predicted(logits, labels):
    """Of each target the likeliest token, and its own."""
    kept = labels != IGNORED
    return logits.argmax(-1)[kept].cpu(), labels[kept].cpu()


def scores(found, labels):
    """The share of targets that have the highest logit."""
    return {"accuracy": int((found == labels).sum()) / len(labels)}
'''

_TAGS = '''
def predicted(logits, labels):
    """Of each word the likeliest tag, and its own."""
    kept = labels != IGNORED
    return logits.argmax(-1)[kept].cpu(), labels[kept].cpu()


def scores(found, labels):
    """Accuracy over the words, and F1 over all tags but the one of words that belong to nothing, as one."""
    outside, right = OUTSIDE, found == labels
    tags = int((found != outside).sum() + (labels != outside).sum())
    f1 = {"micro_f1": 2 * int((right & (labels != outside)).sum()) / tags} if tags else {}
    return {"accuracy": int(right.sum()) / len(labels), **f1}
'''
