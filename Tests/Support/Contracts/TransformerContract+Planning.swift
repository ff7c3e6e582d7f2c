import EaselCore

extension TransformerContract {
  /// The required similarity of planned and plain results, in decibels.
  private static let leastLikeness = 40.0

  /// One picture at several sizes, the largest first, made once because that is slow under a sanitizer.
  private static let originals: [Bitmap] = {
    guard let largest = try? BitmapSamples.smooth(width: 192, height: 128) else { return [] }
    return [largest] + [2, 4, 8, 16].compactMap { try? BitmapSamples.reduced(largest, by: $0) }
  }()

  private static var pictures: [Bitmap] { originals.map(copy) }

  func checkPlan(_ transformer: any Transformer, _ findings: Findings<Rule>) {
    let pictures = Self.pictures
    guard let bitmap = pictures.first else { return }
    let key = transformer.cacheKey
    let plan: TransformerPipeline.Plan?
    if let pipeline = transformer as? TransformerPipeline {
      plan = pipeline.plan(for: bitmap.size)
    } else {
      plan = (transformer as? any PlannableTransformer)?.plan(for: bitmap.size)
    }
    guard let plan, let plain = try? transformer.transform(Image(bitmap), work: WorkContext()).bitmap else { return }
    let least = plan.leastSize ?? bitmap.size
    guard least.width > 0, least.height > 0, least.width <= bitmap.width, least.height <= bitmap.height else {
      return findings.add(
        .planGivesTheSamePicture, "\(key) plans with a least size of \(least) for a picture of \(bitmap.size).")
    }
    for source in pictures where source.width >= least.width && source.height >= least.height {
      let what = "\(key), planned for \(bitmap.size), of a picture decoded at \(source.size)"
      findings.attempt(.planGivesTheSamePicture, what) {
        let planned = try plan.transformer.transform(Image(source), work: WorkContext()).bitmap
        compare(planned, plain, .planGivesTheSamePicture, what, findings)
      }
    }
  }

  func checkMerging(_ transformers: [any Transformer], _ findings: Findings<Rule>) {
    guard let bitmap = Self.pictures.dropFirst().first else { return }
    for case let first as any PlannableTransformer in transformers {
      for next in transformers + Self.strangers {
        guard let merged = first.merged(with: next),
          let middle = try? first.transform(Image(bitmap), work: WorkContext()),
          let plain = try? next.transform(middle, work: WorkContext()).bitmap
        else { continue }
        let what = "\(first.cacheKey) merged with \(next.cacheKey)"
        findings.attempt(.mergingGivesTheSamePicture, what) {
          let both = try merged.transform(Image(bitmap), work: WorkContext()).bitmap
          compare(both, plain, .mergingGivesTheSamePicture, what, findings)
        }
      }
    }
  }

  /// Transformers that no author knows, and whose work is easy to see.
  ///
  /// A merger with one of them must do their work as well.
  private static let strangers: [any Transformer] = [
    Stranger(name: "Invert") { $0.map { PixelColor(red: 255 - $0.red, green: 255 - $0.green, blue: 255 - $0.blue) } },
    Stranger(name: "Turn") { $0.reversed() },
  ]

  /// Makes opaque pixels of a picture's pixels.
  private struct Stranger: Transformer {
    let name: String
    let body: @Sendable ([PixelColor]) -> [PixelColor]

    var cacheKey: String { "Contract.\(name)(1)" }

    func transform(_ image: Image, work: WorkContext) throws -> Image {
      let pixels = body(image.bitmap.colors(at: image.size))
      var bitmap = try Bitmap(size: image.size, format: .opaqueRGBA8)
      let stride = bitmap.bytesPerRow
      bitmap.withUnsafeMutableBytes { bytes in
        for (index, pixel) in pixels.enumerated() {
          let start = index / image.size.width * stride + index % image.size.width * 4
          (bytes[start], bytes[start + 1], bytes[start + 2]) = (pixel.red, pixel.green, pixel.blue)
          bytes[start + 3] = 255
        }
      }
      return Image(bitmap)
    }
  }

  private func compare(
    _ bitmap: Bitmap, _ plain: Bitmap, _ rule: Rule, _ what: String, _ findings: Findings<Rule>
  ) {
    findings.require(bitmap.size == plain.size, rule, "\(what) is \(bitmap.size), and plainly it is \(plain.size).")
    guard bitmap.size == plain.size else { return }
    let likeness = BitmapSamples.likeness(bitmap, plain)
    findings.require(
      likeness >= Self.leastLikeness, rule, "\(what) is only within \(Int(likeness)) dB of the plain result.")
  }
}
