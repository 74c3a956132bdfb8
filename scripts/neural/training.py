"""Training samples on the device, and Adam on several networks of one shape at once (PyTorch)."""

import math
import time

import numpy as np
import torch

import wrap_encodings
from network_file import Network

STEP = 1e-5  # step of the central differences of the exact model, in the features' (−1, 1) scaling, float64
CHUNK = 1 << 23  # points at a time; large, since the seam search launches thousands of kernels
STEEP = 5.0  # derivatives of unit-size outputs in the (−1, 1) scaling beyond which they count less


def _draw(encoding, count, threshold, deep_angle, attached_share, generator, device):
    """Scaled features [inputs, count] of samples to train on, in float64."""
    uniform = lambda *shape: torch.rand(*shape, generator=generator, device=device, dtype=torch.float64)
    want = {True: math.ceil(attached_share * count), False: count - math.ceil(attached_share * count)}
    parts, chunk = [], CHUNK // encoding.points
    while want[True] + want[False] > 0:
        x = 2 * uniform(encoding.inputs, chunk) - 1
        inside, free = wrap_encodings.candidates(torch, encoding, x)
        if attached_share > 0:
            # Samples that are certainly free are thinned out before the paths are computed.
            inside = inside & (~free | (uniform(chunk) < 0.05))
        x = x[:, inside]
        found = encoding.exact(torch, wrap_encodings.scaled(torch, encoding, x))
        use = wrap_encodings.kept(found, threshold, deep_angle) & (found["length"] < math.inf)
        for kind in (True, False):
            of_kind = use & ((found["phi"] > 0) == kind) if attached_share > 0 else use
            part = x[:, torch.nonzero(of_kind).flatten()[: want[kind]]]
            want[kind] -= part.shape[1]
            parts.append(part)
    x = torch.cat(parts, 1)
    return x[:, torch.randperm(count, generator=generator, device=device)]


def make_pool(encoding, count, threshold, deep_angle, attached_share, derivatives, seed, device):
    """Samples for training: dict of x [count, inputs], y [count, outputs] and, on request, a random
    unit direction d [count, inputs] with the derivative dy [count, outputs] of y along it. float32.

    The share `attached_share` of the samples is wrapped; 0: no selection.
    """
    generator = torch.Generator(device=device).manual_seed(seed)
    x = _draw(encoding, count, threshold, deep_angle, attached_share, generator, device)
    exact = lambda part: encoding.exact(torch, wrap_encodings.scaled(torch, encoding, part))["target"]
    chunk = CHUNK // encoding.points
    in_chunks = lambda f: torch.cat([f(slice(k, k + chunk)) for k in range(0, count, chunk)], 1)
    pool = {"x": x, "y": in_chunks(lambda part: exact(x[:, part]))}
    if derivatives:
        d = torch.randn(x.shape, generator=generator, device=device, dtype=torch.float64)
        d = d / torch.sqrt((d * d).sum(0))
        step = lambda part: (exact((x + STEP * d)[:, part]) - exact((x - STEP * d)[:, part])) / (2 * STEP)
        pool |= {"d": d, "dy": in_chunks(step)}
        # A stencil across the cut does not give a derivative.
        fine = torch.isfinite(pool["dy"]).all(0) & (pool["dy"].abs().amax(0) < 200)
        pool = {key: value[:, fine] for key, value in pool.items()}
    return {key: value.T.float().contiguous() for key, value in pool.items()}


def initial_layers(members, sizes, seed, device):
    """Glorot uniform, zero biases: a list of (W [members, in, out], b [members, 1, out])."""
    generator = torch.Generator().manual_seed(seed)
    layers = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        bound = math.sqrt(6 / (fan_in + fan_out))
        W = bound * (2 * torch.rand(members, fan_in, fan_out, generator=generator) - 1)
        layers.append((W.to(device).requires_grad_(), torch.zeros(members, 1, fan_out, device=device, requires_grad=True)))
    return layers


def forward(layers, x, d=None):
    """Outputs for x [members, n, inputs], and their derivative along d if it is given."""
    n = x.shape[1]
    a = x if d is None else torch.cat([x, d], 1)
    for k, (W, b) in enumerate(layers):
        if d is None:
            a = torch.baddbmm(b, a, W)
            a = torch.tanh(a) if k + 1 < len(layers) else a
            continue
        z = torch.bmm(a, W)
        value, rate = z[:, :n] + b, z[:, n:]
        if k + 1 == len(layers):
            return value, rate
        h = torch.tanh(value)
        a = torch.cat([h, (1 - h * h) * rate], 1)
    return a, None


class Training:
    """len(pools) networks of the same shape, one on each pool, trained together. Small pools are repeated.

    Loss: mean |y − ŷ|² + derivative_weight · inputs · mean |dy − dŷ|² / (1 + |dy|²/(points STEEP²)), for
    answers of several `points`. The second estimates the squared Frobenius norm of the Jacobian's error; the few samples
    next to singular places, where derivatives have no bound, would drown the others. Adam; the rate rises over the first hundredth
    of the steps and falls by a cosine to 1e-3 of its largest value. On a GPU `stride` steps are launched at
    a time, at one rate, and the share `coarse` of the steps, the first ones, multiplies in TF32.
    """

    def __init__(
        self, pools, hidden, steps, batch, learning_rate, derivative_weight, seed, device, stride=1, coarse=0.0, points=1
    ):  # fmt: skip
        torch.manual_seed(seed)
        self.steps, self.batch, self.largest_rate = steps, batch, learning_rate
        self.stride, self.coarse_steps = stride, coarse * steps
        self.derivative_weight, self.device, self.points = derivative_weight, device, points
        self.members, self.inputs, outputs = len(pools), pools[0]["x"].shape[1], pools[0]["y"].shape[1]
        self.count = max(len(pool["x"]) for pool in pools)
        again = [torch.arange(self.count, device=device) % len(pool["x"]) for pool in pools]
        self.stack = {key: torch.stack([pool[key][k] for pool, k in zip(pools, again)]) for key in pools[0]}
        self.member = torch.arange(self.members, device=device)[:, None]
        self.layers = initial_layers(self.members, [self.inputs, *hidden, outputs], seed, device)
        self.cuda = torch.device(device).type == "cuda"
        self.rate = torch.tensor(0.0, device=device) if self.cuda else 0.0
        params = [p for layer in self.layers for p in layer]
        self.optimizer = torch.optim.Adam(params, lr=self.rate, capturable=self.cuda, fused=self.cuda)
        self.loss = torch.zeros(self.members, device=device)
        self.done, self.losses = 0, []
        if self.cuda:
            self._capture("high" if coarse > 0 else "highest")
        self.start = time.time()

    def _one_step(self):
        pick = torch.randint(self.count, (self.members, self.batch), device=self.device)
        batch = {key: value[self.member, pick] for key, value in self.stack.items()}
        if self.derivative_weight > 0:
            value, slope = forward(self.layers, batch["x"], batch["d"])
            weight = 1 / (1 + batch["dy"].square().sum(2) / (self.points * STEEP**2))
            slope_error = (weight * (slope - batch["dy"]).square().sum(2)).mean(1)
            error = (value - batch["y"]).square().sum(2).mean(1)
            error = error + self.derivative_weight * self.inputs * slope_error
        else:
            error = (forward(self.layers, batch["x"])[0] - batch["y"]).square().sum(2).mean(1)
        self.optimizer.zero_grad(set_to_none=True)
        error.sum().backward()
        self.optimizer.step()
        self.loss.copy_(error.detach())

    def _capture(self, precision):
        """Captured graphs of steps: otherwise launching the kernels costs more than running them."""
        torch.cuda.synchronize()
        torch.set_float32_matmul_precision(precision)
        self.precision, self.stream = precision, torch.cuda.Stream()
        self.rate.zero_()
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            for _ in range(3):  # at rate 0
                self._one_step()
        self.stream.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            for _ in range(self.stride):
                self._one_step()

    def step(self):
        """Steps of Adam; on a GPU, `stride` steps are launched on the training's own stream."""
        t = self.done / self.steps
        rate = self.largest_rate * min(1.0, 100 * t + 1e-3) * (1e-3 + (1 - 1e-3) * 0.5 * (1 + math.cos(math.pi * t)))
        if self.cuda:
            if self.precision == "high" and self.done >= self.coarse_steps:
                self._capture("highest")
            with torch.cuda.stream(self.stream):
                self.rate.fill_(rate)
                self.graph.replay()
        else:
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            self._one_step()
        taken = self.stride if self.cuda else 1
        self.done += taken
        if self.done % max(self.steps // 20, 1) < taken:
            if self.cuda:
                self.stream.synchronize()
            self.losses.append((self.done, self.loss.tolist()))
            self.seconds = time.time() - self.start
            return f"step {self.done}/{self.steps}, {self.seconds:.0f} s, loss {self.losses[-1][1]}"
        return None

    def rms(self, most=30_000):
        """Root of the mean |y − ŷ|² over the first samples of each pool, float32."""
        x, y = (self.stack[key][:, :most] for key in ("x", "y"))
        torch.set_float32_matmul_precision("highest")
        with torch.no_grad():
            return (forward(self.layers, x)[0] - y).square().sum(2).mean(1).sqrt().tolist()


def train(trainings, log=None):
    """Runs trainings side by side to their ends: small networks alone do not fill a GPU."""
    while any(t.done < t.steps for t in trainings):
        for k, training in enumerate(trainings):
            if training.done < training.steps:
                line = training.step()
                if line and log:
                    log(f"[{k}] {line}")


def as_network(encoding, layers, member, output_scale):
    """The trained member as a Network; targets had been divided by output_scale."""
    middle = [0.5 * (a + b) for a, b in zip(encoding.low, encoding.high)]
    scale = [2 / (b - a) for a, b in zip(encoding.low, encoding.high)]
    plain = [(W[member].detach().cpu().numpy().T, b[member, 0].detach().cpu().numpy()) for W, b in layers]
    zero = np.zeros(encoding.outputs)
    return Network(encoding, encoding.ranges, middle, scale, zero, zero + output_scale, plain)
