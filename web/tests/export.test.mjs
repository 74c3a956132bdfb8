// Files that `sinew export` writes, read by three.js' own loaders: poses and paths against the tables of the run.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {AnimationMixer, Euler, Quaternion, Vector3} from 'three';
import {BVHLoader} from 'three/examples/jsm/loaders/BVHLoader.js';
import {GLTFLoader} from 'three/examples/jsm/loaders/GLTFLoader.js';

const program = process.env.SINEW_PROGRAM ?? new URL('../../build/release/bin/sinew', import.meta.url).pathname;
const leg = fileURLToPath(new URL('../../models/leg/leg.osim', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sinew-export-'));
after(() => rmSync(folder, {recursive: true, force: true}));

// The loader asks the window it expects to be in for a decoder of textures, of which there are none.
globalThis.self ??= globalThis;

const sinew = (...words) => execFileSync(program, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});

/** Simulates; returns the folder of the run. */
function simulated(name, ...words) {
  const out = join(folder, name);
  sinew('simulate', ...words, '--out', out);
  return out;
}

/** The columns of a table by name. */
function table(run, name) {
  const lines = readFileSync(join(run, `${name}.sto`), 'utf8').split('endheader\n')[1].trim().split('\n');
  const labels = lines[0].split('\t');
  const rows = lines.slice(1).map((line) => line.split('\t').map(Number));
  return Object.fromEntries(labels.map((label, k) => [label, rows.map((row) => row[k])]));
}

async function load(path) {
  const bytes = readFileSync(path);
  const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
  assert.equal(gltf.animations.length, 1);
  const mixer = new AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  const nodes = new Map();
  gltf.scene.traverse((object) => {
    if (object.userData.name) nodes.set(object.userData.name, object);
  });
  const times = [...new Set(gltf.animations[0].tracks.flatMap((track) => [...track.times]))].sort((a, b) => a - b);
  const show = (t) => {
    mixer.setTime(t);
    gltf.scene.updateMatrixWorld(true);
  };
  return {gltf, nodes, times, show};
}

/** The row of a time that is kept as a 32-bit number. */
const rowOf = (times, t) => times.reduce((best, time, k) => (Math.abs(time - t) < Math.abs(times[best] - t) ? k : best), 0);

/** The largest distance [m] and angle [rad] of bodies from their table, at all frames but the last: there the
 * animation begins again. */
function worstPose({nodes, times, show}, run) {
  const bodies = table(run, 'bodies');
  const names = Object.keys(bodies).filter((label) => label.endsWith('_X')).map((label) => label.slice(0, -2));
  const worst = {distance: 0, angle: 0, bodies: names.length, frames: times.length};
  for (const t of times.slice(0, -1)) {
    const row = rowOf(bodies.time, t);
    show(t);
    for (const name of names) {
      const value = (label) => bodies[name + label][row];
      const node = nodes.get(name);
      worst.distance = Math.max(worst.distance, node.position.distanceTo(new Vector3(value('_X'), value('_Y'), value('_Z'))));
      // Body-fixed rotations about x, y, z are three.js' order XYZ.
      const turn = new Quaternion().setFromEuler(new Euler(value('_Ox'), value('_Oy'), value('_Oz'), 'XYZ'));
      const between = turn.invert().multiply(node.quaternion);
      worst.angle = Math.max(worst.angle, 2 * Math.atan2(Math.hypot(between.x, between.y, between.z), Math.abs(between.w)));
    }
  }
  return worst;
}

/** The largest error of the lengths of muscles through their nodes, over their length. */
function worstLength({nodes, times, show}, run) {
  const muscles = table(run, 'muscles');
  const names = [...nodes.keys()].filter((name) => nodes.get(name).userData.kind === 'muscle');
  const worst = {error: 0, muscles: names.length};
  const [a, b] = [new Vector3(), new Vector3()];
  for (const t of times.slice(0, -1)) {
    const row = rowOf(muscles.time, t);
    show(t);
    for (const name of names) {
      let length = 0;
      for (let k = 1; k < nodes.get(name).userData.points; ++k)
        length += nodes.get(`${name}_point_${k}`).getWorldPosition(a).distanceTo(nodes.get(`${name}_point_${k + 1}`).getWorldPosition(b));
      const wanted = muscles[`${name}_length`][row];
      worst.error = Math.max(worst.error, Math.abs(length - wanted) / wanted);
    }
  }
  return worst;
}

for (const [name, model, options] of [
  ['finger', 'finger', ['--until', '0.5']],
  ['leg', leg, ['--until', '0.4', '--excitation', 'all=0.1']],
])
  test(`the ${name} has the poses of its run and muscles as long as they are`, async () => {
    const run = simulated(name, model, ...options);
    const file = join(folder, `${name}.glb`);
    const record = JSON.parse(sinew('export', run, file, '--json'));
    const loaded = await load(file);
    assert.equal(loaded.times.length, record.frames);
    const pose = worstPose(loaded, run);
    assert.equal(pose.bodies, record.bodies);
    assert.ok(pose.distance < 1e-5, `bodies are off by ${pose.distance} m`);
    assert.ok(pose.angle < 1e-5, `and by ${pose.angle} rad`);
    const length = worstLength(loaded, run);
    assert.equal(length.muscles, record.muscles);
    assert.ok(length.error < 1e-3, `lengths are off by ${length.error}`);
  });

test('the skin of a muscle lies around its nodes', async () => {
  const {nodes, times, show} = await load(join(folder, 'finger.glb'));
  const muscle = [...nodes.values()].find((node) => node.userData.kind === 'muscle');
  const meshes = [];
  muscle.traverse((object) => object.isSkinnedMesh && meshes.push(object));
  assert.equal(meshes.length, 2, 'belly and tendons');
  const x = new Vector3();
  const y = new Vector3();
  for (const t of [times[0], times[times.length >> 1]]) {
    show(t);
    const {position} = meshes[0].geometry.attributes;
    const sides = position.count / muscle.userData.points;
    for (let k = 0; k < position.count; ++k) {
      meshes[0].getVertexPosition(k, x).applyMatrix4(meshes[0].matrixWorld);
      const node = nodes.get(`${muscle.userData.name}_point_${Math.floor(k / sides) + 1}`);
      const from = x.distanceTo(node.getWorldPosition(y));
      assert.ok(from > 1e-5 && from < 0.02, `a corner is ${from} m from its point`);
    }
  }
});

test('the surface of a soft body changes its shape, by few shapes', async () => {
  const run = simulated('starfish', 'starfish', '--until', '0.4');
  const file = join(folder, 'starfish.glb');
  const record = JSON.parse(sinew('export', run, file, '--rate', '0', '--json'));
  assert.equal(record.soft_bodies, 1);
  const {nodes, times, show} = await load(file);
  assert.equal(times.length, table(run, 'vertices').time.length, 'every row');
  const soft = nodes.get('flesh');
  assert.ok(soft.morphTargetInfluences.length < 20, `${soft.morphTargetInfluences.length} shapes`);
  assert.ok(soft.userData.error < 1e-4);
  const corners = () => Array.from({length: soft.geometry.attributes.position.count}, (_, k) => soft.getVertexPosition(k, new Vector3()));
  show(times[0]);
  const first = corners();
  show(times[times.length - 2]);
  const moved = corners().map((x, k) => x.distanceTo(first[k]));
  assert.ok(soft.morphTargetInfluences.some((weight) => weight !== 0) && soft.morphTargetInfluences.every((weight) => Math.abs(weight) <= 1));
  assert.ok(Math.max(...moved) > 1e-3 && Math.max(...moved) < 0.1, `it moves by up to ${Math.max(...moved)} m`);
});

test('a .bvh file has the places of the bodies', async () => {
  const run = join(folder, 'leg');
  const file = join(folder, 'leg.bvh');
  sinew('export', run, file, '--rate', '100');
  const {skeleton, clip} = new BVHLoader().parse(readFileSync(file, 'utf8'));
  const root = skeleton.bones[0];
  const mixer = new AnimationMixer(root);
  mixer.clipAction(clip).play();
  const bodies = table(run, 'bodies');
  const x = new Vector3();
  for (const t of [0, 0.1, 0.38]) {
    mixer.setTime(t);
    root.updateMatrixWorld(true);
    // The run has a row for each of these frames.
    const row = rowOf(bodies.time, t);
    for (const bone of skeleton.bones) {
      if (!(`${bone.name}_X` in bodies)) continue;
      const wanted = new Vector3(...['_X', '_Y', '_Z'].map((axis) => bodies[bone.name + axis][row]));
      const distance = bone.getWorldPosition(x).distanceTo(wanted);
      assert.ok(distance < 1e-4, `${bone.name} is off by ${distance} m at ${t} s`);
    }
  }
});
