import Easel
import EaselBenchmarkHarness

/// Transformers on a decoded photo of 2 MP, on one thread; only those that have a counterpart elsewhere.
func transformerCases() -> [BenchmarkCase] {
  [
    transformerCase("flip", .flip(horizontal: true), pillow("image.transpose(Image.FLIP_LEFT_RIGHT)")),
    transformerCase("flip", .flip(horizontal: true), openCV("cv2.flip(pixels, 1)")),
    transformerCase("quarter turn", .rotate(radians: .pi / 2), pillow("image.transpose(Image.ROTATE_90)")),
    transformerCase("quarter turn", .rotate(radians: .pi / 2), openCV("cv2.rotate(pixels, 2)")),
    transformerCase("turn by 0.3", .rotate(radians: 0.3), pillow("image.rotate(17.19, Image.BILINEAR, expand=True)")),
    transformerCase("turn by 0.3", .rotate(radians: 0.3), vips("image.rotate(17.19)")),
    transformerCase(
      "crop to a quarter", .crop(x: 0, y: 0, width: photo.size.width / 2, height: photo.size.height / 2),
      pillow("image.crop((0, 0, image.width // 2, image.height // 2))")),
    transformerCase("blur by 8", .blur(8), pillow("image.filter(ImageFilter.GaussianBlur(8))")),
    transformerCase("blur by 8", .blur(8), openCV("cv2.GaussianBlur(pixels, (0, 0), 8)")),
    transformerCase("blur by 8", .blur(8), vips("image.gaussblur(8)")),
    transformerCase("sharpen", .sharpen(1, radius: 2), pillow("image.filter(ImageFilter.UnsharpMask(2, 100, 0))")),
    transformerCase("sharpen", .sharpen(1, radius: 2), vips("image.sharpen(sigma=2)")),
    transformerCase("grey", .grayscale, pillow(#"image.convert("L").convert("RGBX")"#)),
    transformerCase("grey", .grayscale, openCV("cv2.cvtColor(cv2.cvtColor(pixels, 11), 9)")),
    transformerCase(
      "tint by half", .tint(PixelColor(red: 200, green: 40, blue: 40, alpha: 128), mode: .sourceAtop),
      pillow(#"Image.blend(image, Image.new("RGBX", image.size, (200, 40, 40, 255)), 0.5)"#)),
    transformerCase("round corners", .roundCorners(100), pillow(roundCorners)),
  ]
}

/// A library, its way of getting the pixels, and its operation on them.
private struct Counterpart {
  let name: String
  let script: String
}

private let photo = BenchmarkPicture(.photo, .png, 1600, 1250)

private func transformerCase(
  _ name: String, _ transformer: TransformerPipeline, _ counterpart: Counterpart
) -> BenchmarkCase {
  BenchmarkCase(name, group: "transform", against: counterpart.name) {
    let image = Image(try photo.bitmap())
    let rival = try PythonRival.process(script: "path = \"\(try photo.path())\"\n\(counterpart.script)")
    return BenchmarkPair(
      subject: .call { blackHole(try transformer.transform(image, work: WorkContext())) }, baseline: rival.side)
  }
}

private func pillow(_ expression: String) -> Counterpart {
  Counterpart(
    name: "Pillow",
    script: """
      from PIL import Image, ImageDraw, ImageFilter
      image = Image.open(path).convert("RGB").convert("RGBX")
      def work():
          \(expression)
      """)
}

private func openCV(_ expression: String) -> Counterpart {
  Counterpart(
    name: "OpenCV",
    script: """
      import cv2
      cv2.setNumThreads(1)
      pixels = cv2.cvtColor(cv2.imread(path), cv2.COLOR_BGR2RGBA)
      def work():
          \(expression)
      """)
}

private func vips(_ expression: String) -> Counterpart {
  Counterpart(
    name: "pyvips",
    script: """
      import os
      os.environ["VIPS_CONCURRENCY"] = "1"
      import pyvips
      pyvips.cache_set_max(0)
      image = pyvips.Image.new_from_file(path).copy_memory()
      def work():
          \(expression).write_to_memory()
      """)
}

/// Pillow draws a mask, here with hard edges, while Easel's edges are smooth.
private let roundCorners = """
  mask = Image.new("L", image.size, 0)
      ImageDraw.Draw(mask).rounded_rectangle((0, 0, image.width - 1, image.height - 1), 100, 255)
      rounded = image.convert("RGBA")
      rounded.putalpha(mask)
  """
