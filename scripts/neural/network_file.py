"""The networks' file format (docs/neural_format.md) and their evaluation with numpy."""

import struct
import zlib

import numpy as np

from wrap_encodings import ENCODINGS, QUANTITIES

MAGIC = b"SINEWMLP"
VERSION = 1


class Network:
    """y = outputs_offset + output_scale ⊙ mlp((f − input_offset) ⊙ input_scale), tanh inside."""

    def __init__(self, encoding, ranges, input_offset, input_scale, output_offset, output_scale, layers):
        self.encoding, self.ranges, self.layers = encoding, ranges, layers
        self.input_offset, self.input_scale = np.asarray(input_offset), np.asarray(input_scale)
        self.output_offset, self.output_scale = np.asarray(output_offset), np.asarray(output_scale)

    def __call__(self, f):
        """Outputs [outputs, N] for features [inputs, N]."""
        h = (f - self.input_offset[:, None]) * self.input_scale[:, None]
        for k, (W, b) in enumerate(self.layers):
            h = W.astype(float) @ h + b.astype(float)[:, None]
            h = np.tanh(h) if k + 1 < len(self.layers) else h
        return self.output_offset[:, None] + self.output_scale[:, None] * h

    def point(self, o, i, r, alpha):
        """The path's points [3, N]; no check of ranges."""
        shape = np.broadcast(o[0], i[0], r, alpha).shape
        o, i = ([np.broadcast_to(np.asarray(x, float), shape) for x in p] for p in (o, i))
        r, alpha = (np.broadcast_to(np.asarray(x, float), shape) for x in (r, alpha))
        e = self.encoding
        return e.point_of(np, o, i, r, alpha, self(e.features_of(np, o, i, r, alpha)))

    def weights(self):
        return sum(W.size + b.size for W, b in self.layers)


def save(network, path):
    sizes = [network.layers[0][0].shape[1]] + [W.shape[0] for W, _ in network.layers]
    out = MAGIC + struct.pack("<III", VERSION, network.encoding.number, len(network.layers))
    out += struct.pack(f"<{len(sizes)}I", *sizes)
    out += struct.pack("<I", len(network.ranges))
    for name, low, high in network.ranges:
        out += struct.pack("<Idd", QUANTITIES[name], low, high)
    for v in (network.input_offset, network.input_scale, network.output_offset, network.output_scale):
        out += np.asarray(v, "<f8").tobytes()
    for W, b in network.layers:
        out += np.asarray(W, "<f4").tobytes() + np.asarray(b, "<f4").tobytes()
    with open(path, "wb") as file:
        file.write(out + struct.pack("<I", zlib.crc32(out)))


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    body, (checksum,) = data[:-4], struct.unpack("<I", data[-4:])
    if data[:8] != MAGIC or zlib.crc32(body) != checksum:
        raise ValueError(f"{path}: not a network file, or damaged")
    at = 8

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, body, at)
        at += struct.calcsize("<" + form)
        return values

    version, number, count = take("III")
    if version != VERSION:
        raise ValueError(f"{path}: version {version}, this program reads {VERSION}")
    sizes = take(f"{count + 1}I")
    names = {number: name for name, number in QUANTITIES.items()}
    ranges = [(names[q], low, high) for q, low, high in (take("Idd") for _ in range(take("I")[0]))]
    n_in, n_out = sizes[0], sizes[-1]
    scaling = [np.array(take(f"{n}d")) for n in (n_in, n_in, n_out, n_out)]
    layers = []
    for rows, cols in zip(sizes[1:], sizes[:-1]):
        W = np.array(take(f"{rows * cols}f"), np.float32).reshape(rows, cols)
        layers.append((W, np.array(take(f"{rows}f"), np.float32)))
    encoding = next(e for e in ENCODINGS.values() if e.number == number)
    return Network(encoding, ranges, *scaling, layers)
