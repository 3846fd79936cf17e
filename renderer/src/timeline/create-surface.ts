/**
 * Which surface the timeline is drawn on.
 *
 *   const surface = await createSurface(host, { fontFamily: 'Inter', pixelRatio: 1 });
 *   surface.load(batch, originNs);
 *   surface.draw(frame);
 */
import type { DrawnBy, Surface, SurfaceOptions } from './surface.ts';

export async function createSurface(
  host: HTMLElement,
  options: SurfaceOptions,
  drawnBy: DrawnBy = 'automatic',
): Promise<Surface> {
  // Either is fetched only where it is needed: Pixi is larger than all the rest of the page.
  if (drawnBy === 'gpu' || (drawnBy === 'automatic' && hasGpu())) {
    const { GpuSurface } = await import('./gpu-surface.ts');
    return GpuSurface.create(host, options);
  }
  const { CpuSurface } = await import('./cpu-surface.ts');
  return new CpuSurface(host, options);
}

/** True if WebGL 2 is there and is not computed by the CPU, by the names that Chromium, Mesa and Windows give to what does that. */
function hasGpu(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(name));
}
