"""How noisy a gradient is, and so how large an effective batch still helps."""

from engine.noise.scale import Noise, Norms, noise_scale

__all__ = ["Noise", "Norms", "noise_scale"]
