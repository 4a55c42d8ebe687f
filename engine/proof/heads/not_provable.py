"""What ends the proof of a head before there is a gradient to compare."""


class NotProvable(Exception):
    """A head that can't be built or has no gradient to compare; `reason` is a code of `result.REASONS`."""

    def __init__(self, reason: str, detail: str = "", *, built: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.built = built
