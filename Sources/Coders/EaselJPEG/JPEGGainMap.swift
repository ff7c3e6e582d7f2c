import EaselCoding
import EaselCore
import EaselPixels

/// The gain map of a file, found but not decoded.
struct JPEGGainMap {
  /// The bytes of the map's own picture.
  let bytes: ImageBytes
  let formula: GainMap.Formula
  private let file: JPEGFile

  /// What a search found.
  enum Search {
    case nothing
    case map(JPEGGainMap)
    /// A sentence about a map that cannot be used.
    case ignored(String)
  }

  var header: GainMap.Header { GainMap.Header(size: file.size, byteCount: bytes.count, formula: formula) }

  // MARK: Finding

  /// Looks for the map of a picture in the bytes after it.
  static func search(for file: JPEGFile, in bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Search {
    let claim = file.metadata.xmp.flatMap { XMPGainMap($0.bytes) }
    let isClaimed = claim?.claimsMap == true || file.isoGainMap != nil
    guard isClaimed || file.pictures != nil else { return .nothing }
    var problem: String?
    // A wrong number in one of the lists may cut off the end of a map that another one gives whole.
    var cut: JPEGGainMap?
    for place in places(file, claim, in: bytes) {
      try work.checkCancellation()
      switch try candidate(at: place, of: file, in: bytes, work: work) {
      case .nothing: continue
      case .map(let map):
        if try map.isWhole(work: work) { return .map(map) }
        cut = cut ?? map
      case .ignored(let reason): problem = problem ?? reason
      }
    }
    if let cut { return .map(cut) }
    guard isClaimed else { return .nothing }
    return .ignored("JPEG: the gain map is ignored, because \(problem ?? "no picture follows the first one").")
  }

  private func isWhole(work: WorkContext) throws(ImageError) -> Bool {
    try JPEGEndMarker.isThere(in: bytes, from: file.pixelStart, work: work)
  }

  /// The places where a map may be: by the index of pictures, then by the directory in XMP.
  private static func places(_ file: JPEGFile, _ claim: XMPGainMap?, in bytes: ImageBytes) -> [Range<Int>] {
    var places = file.pictures?.places ?? []
    if let count = claim?.bytesFromEnd, count < bytes.count { places.append(bytes.count - count..<bytes.count) }
    return places.filter { $0.upperBound <= bytes.count }
  }

  private static func candidate(
    at place: Range<Int>, of base: JPEGFile, in bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Search {
    let head = try bytes.part(at: place.lowerBound, count: min(place.count, JPEGScanner.signature.count))
    guard head == JPEGScanner.signature else { return .ignored("there is no JPEG where it must be") }
    guard place.count <= work.limits.downloadBytes else { return .ignored("it is longer than Limits.downloadBytes") }
    let part = ImageBytes(try bytes.part(at: place.lowerBound, count: place.count))
    var scanner = JPEGScanner(limits: work.limits)
    do throws(ImageError) {
      try scanner.advance(over: part, isWhole: true, work: work)
    } catch {
      return try ignored(error, work)
    }
    guard let file = scanner.file, file.hasPixels else { return .ignored("it has no pixels") }
    let xmp = file.metadata.xmp.flatMap { XMPGainMap($0.bytes) }
    let iso = file.isoGainMap.flatMap { $0.count > 4 ? $0 : nil }
    // Another picture, such as a smaller copy.
    guard iso != nil || xmp?.claimsMap == true else { return .nothing }
    guard let formula = iso.flatMap({ GainMap.Formula(iso21496: $0) }) ?? xmp?.formula else {
      return .ignored("its numbers are missing or out of range")
    }
    guard file.kind != .cmyk else { return .ignored("it has the four inks of print") }
    guard file.size.width <= 2 * base.size.width && file.size.height <= 2 * base.size.height else {
      return .ignored("its \(file.size) are more than twice the \(base.size) of the picture")
    }
    return .map(JPEGGainMap(bytes: part, formula: formula, file: file))
  }

  /// The reason of an error in the map; an end of the work is thrown.
  private static func ignored(_ error: ImageError, _ work: WorkContext) throws(ImageError) -> Search {
    if error.isCancellation || error.isExhaustion { throw error }
    try work.checkCancellation()
    return .ignored("it is damaged or over a limit (\(error.message))")
  }

  // MARK: Decoding

  /// Decodes the map, or tells why it cannot be used.
  ///
  /// It is reduced as much as the picture was for a thumbnail, and set upright with it. A map of the usual size, with at
  /// most a quarter of the picture's pixels, is decoded in full first, because light shows what the library's scaling
  /// does to it. If the next transformer needs only a picture of a least size, a larger map is decoded at no less than
  /// twice the size that goes with it.
  func decode(
    for base: JPEGFile, finish: ImageFinish, basedOn asked: DecodeOptions, work: WorkContext
  ) throws(ImageError) -> Result<GainMap, Problem> {
    do throws(ImageError) {
      // Its numbers are no colours, so they must not become light.
      var options = DecodeOptions(
        preservesAspectRatio: false, appliesOrientation: false, convertsColor: false, fidelity: .fast)
      let isSmall = file.size.area <= base.size.area / 4
      if let least = asked.leastSize, !isSmall {
        let isTurned = asked.appliesOrientation && base.metadata.orientation.swapsSides
        options.leastSize = leastSize(for: isTurned ? least.transposed : least, of: base.size)
      } else if asked.leastSize == nil, finish.storedTarget != base.size {
        options.thumbnailSize = file.size.scaled(as: base.size, to: finish.storedTarget)
      }
      let picture = try JPEGImage(
        file, of: bytes, options: options, limits: work.limits, allowsScaling: !isSmall)
      var bitmap = try picture.bitmap(of: bytes, work: work)
      if file.kind == .gray, let gray = try bitmap.grayOfColors() { bitmap = gray }
      var map = GainMap(try finish.turned(bitmap, work: work), formula: formula)
      if options.leastSize != nil, bitmap.size != file.size {
        let isTurned = asked.appliesOrientation && base.metadata.orientation.swapsSides
        map.fullSize = isTurned ? file.size.transposed : file.size
      }
      return .success(map)
    } catch {
      guard case .ignored(let reason) = try Self.ignored(error, work) else { throw error }
      return .failure(Problem(note: "JPEG: the gain map is ignored, because \(reason)."))
    }
  }

  struct Problem: Error {
    let note: String
  }

  private func leastSize(for least: PixelSize, of base: PixelSize) -> PixelSize {
    let double = file.size.scaled(as: base, to: PixelSize(width: 2 * least.width, height: 2 * least.height))
    return PixelSize(width: min(double.width, file.size.width), height: min(double.height, file.size.height))
  }
}
