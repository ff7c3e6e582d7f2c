import EaselCore
import FoundationEssentials

/// Finds the best way to write a picture within a file size limit: it lowers the quality first, then the size.
public struct FileSizeSearch: Sendable {
  /// The largest file size in bytes.
  public let limit: Int
  /// The start of error messages, such as "PNG".
  public let name: String

  /// The quality below which a smaller picture looks better than a picture at full size.
  private static let leastQuality = 0.25
  /// A difference in quality too small to be seen.
  private static let qualityStep = 0.01

  /// Creates a search for a file of at most `limit` bytes.
  public init(limit: Int, name: String) {
    self.limit = limit
    self.name = name
  }

  /// Limits any number to a quality from 0 to 1.
  public static func sensible(_ quality: Double) -> Double {
    // NaN becomes 0.
    quality > 0 ? min(1, quality) : 0
  }

  /// The file of the best quality that fits, at a smaller size if even the lowest quality does not fit.
  ///
  /// `write` is called repeatedly with a size and a quality, first with the requested values.
  public func byQuality(
    from size: PixelSize, quality: Double, write: (PixelSize, Double) throws -> Data
  ) throws -> Data {
    let quality = Self.sensible(quality)
    let whole = try write(size, quality)
    if whole.count <= limit { return whole }
    let least = min(quality, Self.leastQuality)
    let (smallSize, small) = try bySize(from: size) { try write($0, least) }
    return try better(than: small, from: least, to: quality) { try write(smallSize, $0) }
  }

  /// The file of about the largest size that fits, with this size.
  ///
  /// `write` is called with smaller and smaller sizes, first with the requested size.
  public func bySize(
    from size: PixelSize, write: (PixelSize) throws -> Data
  ) throws -> (size: PixelSize, data: Data) {
    var size = size
    var data = try write(size)
    let whole = data.count
    while data.count > limit {
      guard size.area > 1 else {
        throw ImageError(
          .encodeFailed,
          "\(name): even one pixel takes \(data.count) bytes, over the limit of \(limit); the whole picture takes "
            + "\(whole). Raise EncodeOptions.maxFileBytes.")
      }
      size = Self.smaller(size, by: (Double(limit) / Double(data.count)).squareRoot())
      data = try write(size)
    }
    return (size, data)
  }

  /// Halves the interval between a quality that fits and a quality that does not.
  private func better(
    than fitting: Data, from low: Double, to high: Double, write: (Double) throws -> Data
  ) throws -> Data {
    var (best, low, high) = (fitting, low, high)
    while high - low > Self.qualityStep {
      let middle = (low + high) / 2
      let data = try write(middle)
      if data.count <= limit { (best, low) = (data, middle) } else { high = middle }
    }
    return best
  }

  /// Shrinks by at least a tenth, so that the search ends soon.
  private static func smaller(_ size: PixelSize, by factor: Double) -> PixelSize {
    let factor = min(0.9, factor)
    return PixelSize(
      width: max(1, Int(Double(size.width) * factor)), height: max(1, Int(Double(size.height) * factor)))
  }
}
