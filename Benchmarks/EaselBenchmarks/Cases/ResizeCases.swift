import EaselBenchmarkHarness
import EaselCore
import EaselPixels

/// 12 megapixels to a quarter of each side, on one thread.
func resizeCases() -> [BenchmarkCase] {
  [
    resizeCase("Lanczos3, straight alpha", .lanczos3, .rgba8, "Pillow", atMost: 0.15, pillow("RGBA", "LANCZOS")),
    resizeCase("Lanczos3, opaque", .lanczos3, .opaqueRGBA8, "Pillow", atMost: 0.2, pillow("RGBX", "LANCZOS")),
    resizeCase("bicubic, straight alpha", .bicubic, .rgba8, "Pillow", atMost: 0.2, pillow("RGBA", "BICUBIC")),
    resizeCase("bicubic, opaque", .bicubic, .opaqueRGBA8, "Pillow", atMost: 0.2, pillow("RGBX", "BICUBIC")),
    resizeCase("box, opaque", .box, .opaqueRGBA8, "OpenCV INTER_AREA", atMost: 1, openCV),
    resizeCase("Lanczos3, opaque", .lanczos3, .opaqueRGBA8, "libvips", vips),
    lightCase("Lanczos3 in linear light, opaque", .opaqueRGBA8),
    lightCase("Lanczos3 in linear light, straight alpha", .rgba8),
  ]
}

/// The price of averaging light.
private func lightCase(_ name: String, _ format: PixelFormat) -> BenchmarkCase {
  BenchmarkCase(name, group: "resize", against: "Easel in sRGB") {
    let bitmap = try picture(width: width, height: height, format)
    let size = PixelSize(width: width / 4, height: height / 4)
    return BenchmarkPair(
      subject: .call { blackHole(try bitmap.resized(to: size, linearLight: true)) },
      baseline: .call { blackHole(try bitmap.resized(to: size)) })
  }
}

private let (width, height) = (4000 / debugDivisor, 3000 / debugDivisor)

private func resizeCase(
  _ name: String, _ filter: Bitmap.ResampleFilter, _ format: PixelFormat, _ rival: String, atMost bar: Double? = nil,
  _ script: String
) -> BenchmarkCase {
  BenchmarkCase(name, group: "resize", against: rival, atMost: bar) {
    let bitmap = try picture(width: width, height: height, format)
    let python = try PythonRival.process(script: preparations + script)
    return BenchmarkPair(
      subject: .call {
        blackHole(try bitmap.resized(to: PixelSize(width: width / 4, height: height / 4), filter: filter))
      },
      baseline: python.side
    )
  }
}

/// Gradients with noise, in alpha too if there is any.
func picture(width: Int, height: Int, _ format: PixelFormat) throws -> Bitmap {
  var bitmap = try Bitmap(unfilled: PixelSize(width: width, height: height), format: .rgba8)
  bitmap.withUnsafeMutableBytes { bytes in
    var state: UInt32 = 1
    for y in 0..<height {
      for x in 0..<width {
        state = state &* 1_664_525 &+ 1_013_904_223
        let noise = Int(state >> 24) % 40
        let start = (y * width + x) * 4
        bytes[start] = UInt8((x / 7 + noise) & 255)
        bytes[start + 1] = UInt8((y / 5 + noise) & 255)
        bytes[start + 2] = UInt8((x / 3 + y / 3) & 255)
        bytes[start + 3] = UInt8((x / 9 + y / 11) & 255)
      }
    }
  }
  return try bitmap.converted(to: format)
}

private let preparations = """
  import os
  os.environ["VIPS_CONCURRENCY"] = "1"
  import numpy as np
  size = (\(width / 4), \(height / 4))
  y, x = np.mgrid[0:\(height), 0:\(width)]
  noise = np.random.default_rng(1).integers(0, 40, (\(height), \(width)))
  planes = [(x // 7 + noise) % 256, (y // 5 + noise) % 256, (x // 3 + y // 3) % 256, (x // 9 + y // 11) % 256]
  pixels = np.ascontiguousarray(np.stack(planes, axis=2).astype(np.uint8))

  """

private func pillow(_ mode: String, _ filter: String) -> String {
  """
  from PIL import Image
  image = Image.frombytes("\(mode)", (\(width), \(height)), pixels.tobytes())
  def work():
      image.resize(size, Image.\(filter))
  """
}

private let openCV = """
  import cv2
  cv2.setNumThreads(1)
  def work():
      cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
  """

private let vips = """
  import pyvips
  pyvips.cache_set_max(0)
  def work():
      image = pyvips.Image.new_from_memory(pixels.data, \(width), \(height), 4, "uchar")
      image.resize(0.25, kernel="lanczos3").write_to_memory()
  """
