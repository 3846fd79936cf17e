/**
 * All rectangles of a frame as one Pixi mesh with four vertices each, uploaded when they change; panning, zooming and scrolling change
 * one uniform. Looks as what paint.ts paints.
 */
import { Buffer, BufferUsage, Geometry, GlProgram, Mesh, Shader, UniformGroup } from 'pixi.js';
import { marking, patternAnchor, seamless } from './patterns.ts';
import { gapFrom, vertexBytes, writeVertices, type RectBatch } from './rect-batch.ts';
import { dimmedAlpha, type Frame } from './surface.ts';

const vertex = `#version 300 es
precision highp float;
in vec2 aSpan;
in float aY;
in vec4 aColour;
uniform mat3 uProjectionMatrix;
uniform mat3 uWorldTransformMatrix;
uniform vec4 uView; // window's start relative to the origin (ns), CSS pixels per ns, scrolled CSS pixels, pixel ratio
uniform float uAnchor; // where patterns begin that go on from one rectangle to the next, device pixels
out vec4 vColour;
out vec2 vPlace; // device pixels from the rectangle's left edge, and from the top of all rows
flat out int vPattern;
void main() {
  // Edges on whole device pixels, at least one wide: the same arithmetic as placeOf in rect-batch.ts.
  float left = floor((aSpan.x - uView.x) * uView.y * uView.w + 0.5);
  float right = floor((aSpan.y - uView.x) * uView.y * uView.w + 0.5);
  int marks = int(aColour.a * 255.0 + 0.5);
  vPattern = marks >> 1;
  if (vPattern < ${seamless} && right - left >= ${gapFrom.toFixed(1)} * uView.w) right -= 1.0;
  right = max(right, left + 1.0);
  int corner = gl_VertexID & 3;
  vec2 place = vec2((corner == 1 || corner == 2 ? right : left) / uView.w, aY - uView.z);
  gl_Position = vec4((uProjectionMatrix * uWorldTransformMatrix * vec3(place, 1.0)).xy, 0.0, 1.0);
  vColour = vec4(aColour.rgb, (marks & 1) == 1 ? 1.0 : ${dimmedAlpha});
  float from = vPattern < ${seamless} ? left : uAnchor;
  vPlace = vec2((corner == 1 || corner == 2 ? right : left) - from, aY * uView.w);
}`;

const fragment = `#version 300 es
precision mediump float;
in vec4 vColour;
in highp vec2 vPlace;
flat in int vPattern;
uniform highp vec4 uView;
out vec4 colour;
bool isMarked(int pattern, highp vec2 place) {
  highp float x = floor(place.x);
  highp float y = floor(place.y);
  if (pattern == 1) return mod(x + y, 5.0) < 1.0;
  if (pattern == 2) return mod(x - y, 5.0) < 1.0;
  if (pattern == 3) return mod(y, 3.0) < 1.0;
  if (pattern == 4) return mod(x, 4.0) < 1.0;
  if (pattern == 5) return mod(x, 4.0) < 1.0 && mod(y, 3.0) < 1.0;
  if (pattern == 6) return mod(floor(x / 2.0) + floor(y / 2.0), 2.0) < 1.0;
  return mod(x + y, 12.0) < 2.0;
}
void main() {
  vec3 fill = vColour.rgb;
  int pattern = vPattern % ${seamless};
  if (pattern > 0 && isMarked(pattern, vPlace / uView.w)) {
    // As markColour in patterns.ts.
    bool isDark = dot(fill, vec3(${marking.weights.join(', ')})) < ${marking.darkBelow};
    fill = isDark ? fill + (1.0 - fill) * ${marking.lighter} : fill * ${marking.darker};
  }
  colour = vec4(fill * vColour.a, vColour.a);
}`;

/** Two triangles per rectangle; the pattern never changes, so one array that only grows serves all. */
let indexPattern = new Uint32Array(0);
function indices(count: number): Uint32Array {
  if (indexPattern.length < count * 6) {
    indexPattern = new Uint32Array(Math.max(count, 1024) * 2 * 6);
    for (let i = 0; i * 6 < indexPattern.length; i++) {
      const v = i * 4;
      indexPattern.set([v, v + 1, v + 2, v, v + 2, v + 3], i * 6);
    }
  }
  return indexPattern.slice(0, count * 6);
}

export class RectMesh {
  readonly mesh: Mesh<Geometry, Shader>;
  readonly #vertices: Buffer;
  readonly #geometry: Geometry;
  readonly #view = new UniformGroup({
    uView: { value: new Float32Array(4), type: 'vec4<f32>' },
    uAnchor: { value: 0, type: 'f32' },
  });
  #origin = 0;

  constructor() {
    this.#vertices = new Buffer({
      data: new Uint8Array(4 * vertexBytes),
      usage: BufferUsage.VERTEX | BufferUsage.COPY_DST,
    });
    const attribute = { buffer: this.#vertices, stride: vertexBytes };
    this.#geometry = new Geometry({
      attributes: {
        aSpan: { ...attribute, format: 'float32x2', offset: 0 },
        aY: { ...attribute, format: 'float32', offset: 8 },
        aColour: { ...attribute, format: 'unorm8x4', offset: 12 },
      },
      indexBuffer: indices(1),
    });
    this.mesh = new Mesh({
      geometry: this.#geometry,
      shader: new Shader({ glProgram: GlProgram.from({ vertex, fragment }), resources: { view: this.#view } }),
    });
    this.mesh.visible = false;
  }

  /** Uploads them; times are stored relative to `origin`. */
  load(batch: RectBatch, origin: number): void {
    this.#origin = origin;
    this.mesh.visible = batch.count > 0;
    if (batch.count === 0) return;
    this.#vertices.data = writeVertices(batch, origin);
    this.#geometry.indexBuffer.data = indices(batch.count);
  }

  place({ window, width, scrollTop, pixelRatio }: Frame): void {
    const view = this.#view.uniforms.uView as Float32Array;
    view[0] = window.start - this.#origin;
    view[1] = width / window.span;
    view[2] = scrollTop;
    view[3] = pixelRatio;
    this.#view.uniforms.uAnchor = patternAnchor((window.start * width * pixelRatio) / window.span, pixelRatio);
    this.#view.update();
  }

  destroy(): void {
    this.mesh.shader?.destroy();
    this.#geometry.destroy(true);
  }
}
