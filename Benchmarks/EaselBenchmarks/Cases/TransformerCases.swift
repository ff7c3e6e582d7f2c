import Easel
import EaselBenchmarkHarness

/// Transformers on a decoded photo of 2 MP; only those that have a counterpart elsewhere.
///
/// The others are told to use one thread. Easel uses a second one for flips, turns by an angle and colours.
func transformerCases() -> [BenchmarkCase] {
  smartCropCases() + [
    transformerCase("flip", .flip(horizontal: true), pillow("image.transpose(Image.FLIP_LEFT_RIGHT)")),
    transformerCase("flip", .flip(horizontal: true), openCV("cv2.flip(pixels, 1)"), atMost: 1),
    transformerCase("quarter turn", .rotate(radians: .pi / 2), pillow("image.transpose(Image.ROTATE_90)")),
    transformerCase("quarter turn", .rotate(radians: .pi / 2), openCV("cv2.rotate(pixels, 2)")),
    transformerCase("turn by 0.3", .rotate(radians: 0.3), pillow("image.rotate(17.19, Image.BILINEAR, expand=True)")),
    transformerCase("turn by 0.3", .rotate(radians: 0.3), vips("image.rotate(17.19)"), atMost: 1),
    transformerCase(
      "crop to a quarter", .crop(x: 0, y: 0, width: photo.size.width / 2, height: photo.size.height / 2),
      pillow("image.crop((0, 0, image.width // 2, image.height // 2))")),
    transformerCase("blur by 8", .blur(8), pillow("image.filter(ImageFilter.GaussianBlur(8))")),
    transformerCase("blur by 8", .blur(8), openCV("cv2.GaussianBlur(pixels, (0, 0), 8)")),
    transformerCase("blur by 8", .blur(8), vips("image.gaussblur(8)")),
    transformerCase("sharpen", .sharpen(1, radius: 2), pillow("image.filter(ImageFilter.UnsharpMask(2, 100, 0))")),
    transformerCase("sharpen", .sharpen(1, radius: 2), vips("image.sharpen(sigma=2)")),
    transformerCase(
      "matrix of 3 by 3", .convolution([[0, -1, 0], [-1, 5, -1], [0, -1, 0]]),
      pillow("image.filter(ImageFilter.Kernel((3, 3), (0, -1, 0, -1, 5, -1, 0, -1, 0)))")),
    transformerCase("grey", .grayscale, pillow(#"image.convert("L").convert("RGBX")"#)),
    transformerCase("grey", .grayscale, openCV("cv2.cvtColor(cv2.cvtColor(pixels, 11), 9)"), atMost: 1),
    transformerCase(
      "tint by half", .tint(PixelColor(red: 200, green: 40, blue: 40, alpha: 128), mode: .sourceAtop),
      pillow(#"Image.blend(image, Image.new("RGBX", image.size, (200, 40, 40, 255)), 0.5)"#)),
    transformerCase("round corners", .roundCorners(100), pillow(roundCorners)),
    transformerCase("trim", .trim(), pillow(trim, after: bordered), atMost: 1, prepared: .pad(150, color: .white)),
    transformerCase(
      "trim", .trim(), vips("image.crop(*image.find_trim(threshold=10))", after: vipsBordered), atMost: 1,
      prepared: .pad(150, color: .white)),
    transformerCase(
      "pixelate by 16", .pixelate(16), pillow("image.reduce(16).resize(image.size, Image.NEAREST)"), atMost: 1),
    transformerCase("pixelate by 16", .pixelate(16), vips("image.shrink(16, 16).zoom(16, 16)"), atMost: 1),
    watermarkCase(pillow(watermark, after: mark)),
    watermarkCase(vips(#"image.composite2(mark, "over", x=image.width - 420, y=image.height - 420)"#, after: vipsMark)),
  ]
}

/// A smart crop of 12 MP to the largest square, and a resize to 320 pixels that cuts off by the same rule.
private func smartCropCases() -> [BenchmarkCase] {
  let square = TransformerPipeline.crop(ratioWidth: 1, ratioHeight: 1, gravity: .smart)
  let side = largePhoto.size.height
  return [
    ownCase("smart crop, 12 MP", square, against: "Easel's resize to 320", .resize(width: 320)),
    ownCase("smart resize, 12 MP", cover(.smart), against: "Easel's centred resize", cover(.center)),
    transformerCase(
      "smart crop, 12 MP", square, vips(#"image.smartcrop(\#(side), \#(side), interesting="attention")"#), atMost: 1,
      of: largePhoto),
  ]
}

private func cover(_ gravity: TransformerPipeline.Gravity) -> TransformerPipeline {
  .resize(width: 320, height: 320, mode: .fill, gravity: gravity)
}

private func ownCase(
  _ name: String, _ transformer: TransformerPipeline, against rivalName: String, _ rival: TransformerPipeline
) -> BenchmarkCase {
  BenchmarkCase(name, group: "transform", against: rivalName, atMost: 1.5) {
    let image = Image(try largePhoto.bitmap())
    return BenchmarkPair(
      subject: .call { blackHole(try transformer.transform(image, work: WorkContext())) },
      baseline: .call { blackHole(try rival.transform(image, work: WorkContext())) })
  }
}

private func watermarkCase(_ counterpart: Counterpart) -> BenchmarkCase {
  BenchmarkCase("watermark", group: "transform", against: counterpart.name, atMost: 1) {
    // A disk that fades out, at half its opacity.
    let mark = try TransformerPipeline.roundCorners(200).transform(
      Image(try BenchmarkPicture(.photo, .png, 400, 400, seed: 2).bitmap()), work: WorkContext()
    ).bitmap
    let transformer = TransformerPipeline.overlay(mark, name: "mark", insetX: 20, insetY: 20, opacity: 0.5)
    return try pair(transformer, Image(try photo.bitmap()), photo, counterpart)
  }
}

/// A library, its way of getting the pixels, and its operation on them.
private struct Counterpart {
  let name: String
  let script: String
}

private let photo = BenchmarkPicture(.photo, .png, 1600, 1250)
private let largePhoto = BenchmarkPicture(.photo, .png, 4000, 3000)

private func transformerCase(
  _ name: String, _ transformer: TransformerPipeline, _ counterpart: Counterpart, atMost bar: Double? = nil,
  of picture: BenchmarkPicture = photo, prepared preparation: TransformerPipeline = .identity
) -> BenchmarkCase {
  BenchmarkCase(name, group: "transform", against: counterpart.name, atMost: bar) {
    let image = try preparation.transform(Image(try picture.bitmap()), work: WorkContext())
    return try pair(transformer, image, picture, counterpart)
  }
}

private func pair(
  _ transformer: TransformerPipeline, _ image: Image, _ picture: BenchmarkPicture, _ counterpart: Counterpart
) throws -> BenchmarkPair {
  let rival = try PythonRival.process(script: "path = \"\(try picture.path())\"\n\(counterpart.script)")
  return BenchmarkPair(
    subject: .call { blackHole(try transformer.transform(image, work: WorkContext())) }, baseline: rival.side)
}

private func pillow(_ expression: String, after preparation: String = "") -> Counterpart {
  Counterpart(
    name: "Pillow",
    script: """
      from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps
      image = Image.open(path).convert("RGB").convert("RGBX")
      \(preparation)
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

private func vips(_ expression: String, after preparation: String = "") -> Counterpart {
  Counterpart(
    name: "pyvips",
    script: """
      import os
      os.environ["VIPS_CONCURRENCY"] = "1"
      import pyvips
      pyvips.cache_set_max(0)
      image = pyvips.Image.new_from_file(path).copy_memory()
      \(preparation)
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

private let bordered = #"image = ImageOps.expand(image.convert("RGB"), 150, "white")"#

private let trim = """
  border = Image.new("RGB", image.size, image.getpixel((0, 0)))
      image.crop(ImageChops.difference(image, border).getbbox())
  """

private let vipsBordered = """
  image = image.embed(150, 150, image.width + 300, image.height + 300, extend="white").copy_memory()
  """

/// The opacity is in the mark already, which saves the rivals a step.
private let mark = """
  image = image.convert("RGBA")
  mark = Image.new("RGBA", (400, 400), (200, 90, 30, 0))
  disk = Image.new("L", mark.size, 0)
  ImageDraw.Draw(disk).rounded_rectangle((0, 0, 399, 399), 200, 128)
  mark.putalpha(disk)
  """

private let watermark = """
  result = image.copy()
      result.alpha_composite(mark, (image.width - 420, image.height - 420))
  """

private let vipsMark = """
  x = pyvips.Image.xyz(400, 400) - 200
  disk = ((x[0] ** 2 + x[1] ** 2) < 200 * 200) / 2
  mark = (x[0] * 0 + [200, 90, 30]).bandjoin(disk).cast("uchar").copy(interpretation="srgb").copy_memory()
  """
