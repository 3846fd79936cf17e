/** All texts of a frame as one Pixi mesh over an atlas of glyphs: faster than as many BitmapTexts, whose shader samples 16 textures. */
import { Buffer, BufferUsage, Geometry, GlProgram, Mesh, Shader, Texture } from 'pixi.js';
import { atlasHeight, atlasWidth, GlyphAtlas } from './glyph-atlas.ts';
import type { Text } from './surface.ts';

const vertex = `#version 300 es
precision highp float;
in vec2 aPlace;
in vec2 aTexel;
in vec4 aColour;
uniform mat3 uProjectionMatrix;
uniform mat3 uWorldTransformMatrix;
out vec2 vTexel;
out vec4 vColour;
void main() {
  gl_Position = vec4((uProjectionMatrix * uWorldTransformMatrix * vec3(aPlace, 1.0)).xy, 0.0, 1.0);
  vTexel = aTexel;
  vColour = aColour;
}`;

const fragment = `#version 300 es
precision mediump float;
in vec2 vTexel;
in vec4 vColour;
uniform sampler2D uTexture;
out vec4 colour;
void main() {
  float alpha = texture(uTexture, vTexel).a * vColour.a;
  colour = vec4(vColour.rgb * alpha, alpha);
}`;

const vertexFloats = 5;

export class LabelMesh {
  readonly mesh: Mesh<Geometry, Shader>;
  readonly #vertices: Buffer;
  readonly #geometry: Geometry;
  readonly #shader: Shader;
  readonly #fontFamily: string;
  #atlas: GlyphAtlas;
  #texture: Texture;
  #uploaded = 0;

  constructor(fontFamily: string, pixelRatio: number) {
    this.#fontFamily = fontFamily;
    this.#atlas = new GlyphAtlas(fontFamily, pixelRatio);
    this.#texture = textureOf(this.#atlas);
    this.#vertices = new Buffer({ data: new Uint8Array(4 * 20), usage: BufferUsage.VERTEX | BufferUsage.COPY_DST });
    const attribute = { buffer: this.#vertices, stride: vertexFloats * 4 };
    this.#geometry = new Geometry({
      attributes: {
        aPlace: { ...attribute, format: 'float32x2', offset: 0 },
        aTexel: { ...attribute, format: 'float32x2', offset: 8 },
        aColour: { ...attribute, format: 'unorm8x4', offset: 16 },
      },
      indexBuffer: new Uint32Array(6),
    });
    this.#shader = new Shader({
      glProgram: GlProgram.from({ vertex, fragment }),
      resources: { uTexture: this.#texture.source, uSampler: this.#texture.source.style },
    });
    this.mesh = new Mesh({ geometry: this.#geometry, shader: this.#shader });
    this.mesh.visible = false;
  }

  /** For another screen: text is drawn at its resolution. */
  usePixelRatio(pixelRatio: number): void {
    if (pixelRatio === this.#atlas.pixelRatio) return;
    const old = this.#texture;
    this.#atlas = new GlyphAtlas(this.#fontFamily, pixelRatio);
    this.#texture = textureOf(this.#atlas);
    this.#uploaded = 0;
    this.#shader.resources.uTexture = this.#texture.source;
    this.#shader.resources.uSampler = this.#texture.source.style;
    old.destroy(true);
  }

  advance(character: string): number {
    return this.#atlas.advance(character);
  }

  load(texts: readonly Text[]): void {
    const atlas = this.#atlas;
    const ratio = atlas.pixelRatio;
    let glyphs = 0;
    for (const { text } of texts) glyphs += text.length;
    this.mesh.visible = glyphs > 0;
    if (glyphs === 0) return;
    const bytes = new ArrayBuffer(glyphs * 4 * vertexFloats * 4);
    const floats = new Float32Array(bytes);
    const words = new Uint32Array(bytes);
    const index = new Uint32Array(glyphs * 6);
    const height = atlas.lineHeight;
    let at = 0;
    for (const { text, x: left, middle, colour } of texts) {
      const rgba = ((255 << 24) | ((colour & 255) << 16) | (colour & 0xff00) | (colour >> 16)) >>> 0;
      atlas.place(text, left, middle, (glyph, x, y) => {
        for (let corner = 0; corner < 4; corner++) {
          const right = corner === 1 || corner === 2 ? 1 : 0;
          const below = corner >= 2 ? 1 : 0;
          const vertexAt = (at * 4 + corner) * vertexFloats;
          floats[vertexAt] = (x + right * glyph.width) / ratio;
          floats[vertexAt + 1] = (y + below * height) / ratio;
          floats[vertexAt + 2] = (glyph.x + right * glyph.width) / atlasWidth;
          floats[vertexAt + 3] = (glyph.y + below * height) / atlasHeight;
          words[vertexAt + 4] = rgba;
        }
        const first = at * 4;
        index.set([first, first + 1, first + 2, first, first + 2, first + 3], at * 6);
        at++;
      });
    }
    if (this.#uploaded !== atlas.version) this.#texture.source.update();
    this.#uploaded = atlas.version;
    this.#vertices.data = new Uint8Array(bytes);
    this.#geometry.indexBuffer.data = index;
  }

  destroy(): void {
    this.#shader.destroy();
    this.#geometry.destroy(true);
    this.#texture.destroy(true);
  }
}

const textureOf = ({ canvas }: GlyphAtlas): Texture =>
  Texture.from({ resource: canvas, scaleMode: 'nearest', autoGenerateMipmaps: false });
