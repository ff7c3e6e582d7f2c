import EaselCore
import EaselPixels
import FoundationEssentials

extension Bitmap {
  /// Converts grey pixels, stored as equal red, green and blue, to colours with a grey profile.
  ///
  /// The profile is applied once per grey level, not once per pixel.
  package func convertedGray(
    from source: ColorTransform.Profile, work: WorkContext = WorkContext()
  ) throws(ImageError) -> Bitmap {
    let isWide = format.layout == .rgba16
    let transform = try ColorTransform(
      from: source, layout: isWide ? .gray16 : .gray8, layout: isWide ? .rgb16 : .rgb8)
    let table = isWide ? transform.table(of: UInt16.self) : transform.table(of: UInt8.self)
    var result = self
    try result.replaceGray(by: table, work: work)
    return result
  }
}

extension ColorTransform {
  fileprivate func table<Level: FixedWidthInteger & UnsignedInteger>(of _: Level.Type) -> [UInt8] {
    let levels = [Level](Level.min...Level.max)
    var table = [UInt8](repeating: 0, count: levels.count * 3 * MemoryLayout<Level>.size)
    levels.withUnsafeBytes { levels in table.withUnsafeMutableBytes { convert(levels, into: $0) } }
    return table
  }
}
