import EaselCore
import EaselTestPixels

extension ImageCoderContract {
  func checkDamage(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let whole = try? decode(sample.imageBytes) else { return }
    for (index, count) in Self.lengths(upTo: sample.bytes.count).enumerated() {
      let cut = ImageBytes(Array(sample.bytes.prefix(count)))
      for damaged in Self.levels(ofCut: index, in: sample) {
        var options = DecodeOptions()
        options.damaged = damaged
        let what = "\(count) of \(sample.bytes.count) bytes of \(sample.name)"
        guard let image = attempt(cut, options, what, findings) else { continue }
        let isWhole =
          image.bitmap == whole.bitmap && image.frames?.count == whole.frames?.count
          || !image.metadata.notes.isEmpty && hasSamePixels(cut, sample, options)
        let isMarked = image.traits.contains(.partial)
        findings.require(
          damaged == .show ? isMarked || isWhole : isWhole && !isMarked, .truncationIsNeverHidden,
          damaged == .show ? "\(what) pass for whole." : "\(what) are decoded though parts must not be shown.")
      }
    }
    var random = SeededRandom(seed: 1)
    for _ in 0..<(LongRun.isOn ? 200 : 100) {
      var bytes = sample.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      _ = attempt(ImageBytes(bytes), DecodeOptions(), "A damaged copy of \(sample.name)", findings)
    }
  }

  /// True if two files have the same pixels as they are stored.
  ///
  /// Not every format states how many frames there are, and how a picture stands may be said behind its pixels.
  func hasSamePixels(_ bytes: ImageBytes, _ sample: ImageSample, _ options: DecodeOptions) -> Bool {
    var options = options
    options.appliesOrientation = false
    let image = try? coder.decode(bytes, options: options, work: WorkContext(limits: Self.limitsOfDamage))
    let whole = try? coder.decode(sample.imageBytes, options: options, work: WorkContext())
    return image != nil && image?.bitmap == whole?.bitmap
  }

  private func attempt(
    _ bytes: ImageBytes, _ options: DecodeOptions, _ what: String, _ findings: Findings<Rule>
  ) -> Image? {
    defer { findings.noteAnswer() }
    do {
      return try coder.decode(bytes, options: options, work: WorkContext(limits: Self.limitsOfDamage))
    } catch {
      findings.require(error is ImageError, .damageIsAnImageError, "\(what) failed with \(error).")
      return nil
    }
  }

  /// The limits of damaged files: a size changed by damage should not cost the tests much memory and time.
  static var limitsOfDamage: Limits {
    var limits = Limits()
    limits.framePixels = 4_000_000
    limits.totalPixels = 16_000_000
    return limits
  }

  /// All levels in a long run and near the ends of a short file; otherwise one after the other.
  private static func levels(ofCut index: Int, in sample: ImageSample) -> [DamagePolicy] {
    let (all, count) = (DamagePolicy.allCases, sample.bytes.count)
    let ends = PlacesInTurn.ends
    let isNearEnd = count <= longestOfAllLengths && (index < ends || index >= count - ends)
    return LongRun.isOn || isNearEnd ? all : [all[index % all.count]]
  }

  private static let longestOfAllLengths = 600

  /// Every length of a short file; a few hundred lengths of a long one, and half of them unless the run is long.
  static func lengths(upTo count: Int) -> [Int] {
    guard count > longestOfAllLengths else { return Array(0..<count) }
    let spread = (0..<200).map { 200 + $0 * (count - 200) / 200 }
    let lengths = (Array(0..<200) + spread).enumerated().filter { LongRun.isOn || $0.offset % 2 == 0 }.map(\.element)
    return lengths + (1...20).reversed().map { count - $0 }
  }

  func checkLimits(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let header = try? coder.probe(sample.imageBytes, work: WorkContext()) else { return }
    let size = header.storedSize
    var cases: [(String, Limits)] = []
    var limits = Limits()
    limits.side = max(size.width, size.height) - 1
    cases.append(("side", limits))
    limits = Limits()
    limits.framePixels = size.area - 1
    cases.append(("framePixels", limits))
    if header.frameCount > 1 {
      limits = Limits()
      limits.frames = header.frameCount - 1
      cases.append(("frames", limits))
      limits = Limits()
      limits.totalPixels = size.area * header.frameCount - 1
      cases.append(("totalPixels", limits))
    }
    for (name, limits) in cases {
      do {
        _ = try coder.decode(sample.imageBytes, options: DecodeOptions(), work: WorkContext(limits: limits))
        findings.add(.limitsHold, "\(sample.name) was decoded over the limit of \(name).")
      } catch {
        let code = (error as? ImageError)?.code
        findings.require(code == .limitExceeded, .limitsHold, "\(sample.name) over \(name) ended with \(error).")
      }
    }
  }
}
