"""The differentiable pieces of the transformer, each with its backward pass.

Every function writes into an array that the caller gives (`out`), or works in place where it says so.
Gradients are named after what they are of: `d_x` is the derivative of the loss in `x`.
"""

import math

import numpy as np

from rig.models.parameters import Array

NORM_EPSILON = 1e-5
GELU_SCALE = math.sqrt(2.0 / math.pi)
GELU_CUBIC = 0.044715


def row_dot(a: Array, b: Array) -> Array:
    """Inner product over the last axis, which is kept with length 1."""
    product: Array = np.einsum("...d,...d->...", a, b)[..., None]
    return product


def normalise(x: Array, *, out: Array) -> Array:
    """Zero mean and unit variance over the last axis: (x - mean) / sqrt(population variance + 1e-5).

    Args:
        x: (..., d)
        out: (..., d) the normalised values.

    Returns:
        (..., 1) what the centred values were multiplied by; the backward pass needs it.
    """
    np.subtract(x, x.mean(axis=-1, keepdims=True), out=out)
    scale = row_dot(out, out)
    scale *= 1.0 / x.shape[-1]
    scale += NORM_EPSILON
    np.sqrt(scale, out=scale)
    np.reciprocal(scale, out=scale)
    out *= scale
    return scale


def normalise_backward(d_y: Array, y: Array, scale: Array, *, scratch: Array, d_x: Array) -> None:
    """Add the gradient through `normalise` to `d_x`.

    Args:
        d_y: (..., d) gradient in the normalised values; destroyed.
        y: (..., d) the normalised values.
        scale: (..., 1) as `normalise` returned it.
        scratch: (..., d)
        d_x: (..., d) is added to.
    """
    projection = row_dot(d_y, y)
    projection *= 1.0 / y.shape[-1]
    mean = d_y.mean(axis=-1, keepdims=True)
    np.multiply(y, projection, out=scratch)
    d_y -= scratch
    d_y -= mean
    d_y *= scale
    d_x += d_y


def gelu(u: Array, *, tanh: Array, out: Array) -> None:
    """The tanh form of GELU: u/2 (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))).

    Args:
        u: (...)
        tanh: (...) receives the hyperbolic tangent, which the backward pass needs.
        out: (...)
    """
    np.multiply(u, u, out=tanh)
    tanh *= GELU_CUBIC
    tanh += 1.0
    tanh *= u
    tanh *= GELU_SCALE
    np.tanh(tanh, out=tanh)
    np.add(tanh, 1.0, out=out)
    out *= u
    out *= 0.5


def gelu_backward(d_out: Array, u: Array, tanh: Array, *, scratch: Array) -> None:
    """Turn the gradient in GELU's output into that in its input, in place.

    Args:
        d_out: (...) overwritten.
        u: (...) the input; destroyed.
        tanh: (...) as `gelu` left it.
        scratch: (...)
    """
    np.multiply(u, u, out=scratch)  # scratch = u times the derivative of tanh's argument
    scratch *= 3.0 * GELU_CUBIC
    scratch += 1.0
    scratch *= GELU_SCALE
    scratch *= u
    slope = u  # u is read for the last time above: its memory holds the slope from here on
    np.multiply(tanh, tanh, out=slope)
    np.subtract(1.0, slope, out=slope)
    slope *= scratch
    slope += tanh
    slope += 1.0
    slope *= 0.5
    d_out *= slope


def softmax_(scores: Array) -> None:
    """Softmax over the last axis, in place, the row maximum subtracted first."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)


def softmax_backward_(d_p: Array, p: Array) -> None:
    """Turn the gradient in softmax's output `p` into that in its input, in place of `d_p`."""
    d_p -= row_dot(d_p, p)
    d_p *= p
