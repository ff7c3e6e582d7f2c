import EaselCoding
import EaselCore
import FoundationEssentials

/// The description of a picture's colours in the boxes of the file and in the parameters of the coding.
struct HEIFColors {
  private(set) var profile: Data?
  /// The code points of the primaries; 2 if the file leaves them open.
  private var primaries: Int
  private var transfer: Int
  private(set) var matrix: Int
  private(set) var isFullRange: Bool

  /// Reads the properties of a picture, which take precedence over the parameters of its coding.
  init(_ properties: [MediaBox], _ bytes: MediaBytes, coding: HEVCSequence) {
    (primaries, transfer) = (coding.primaries, coding.transfer)
    (matrix, isFullRange) = (coding.matrix, coding.isFullRange)
    (primaries, transfer) = ColorDescription.Coding.ofStream(primaries: primaries, transfer: transfer)
    for box in properties where box.kind == "colr" {
      switch bytes.kind(at: box.content) {
      case "nclx":
        guard let first = bytes.number(at: box.content + 4, bytes: 2),
          let second = bytes.number(at: box.content + 6, bytes: 2),
          let third = bytes.number(at: box.content + 8, bytes: 2),
          let range = bytes.number(at: box.content + 10, bytes: 1), box.end - box.content >= 11
        else { continue }
        (primaries, transfer, matrix, isFullRange) = (first, second, third, range & 0x80 != 0)
      case "prof", "rICC":
        guard profile == nil, box.end - box.content > 4, let content = bytes.bytes(in: box.content + 4..<box.end)
        else { continue }
        profile = Data(content)
      default: break
      }
    }
  }

  /// The code points of the pixels after the conversion to red, green and blue; nil if the file leaves them open.
  func description(_ file: MediaFile) -> ColorDescription? {
    let open: Set<Int> = [0, 2]
    if open.contains(primaries) && open.contains(transfer) { return nil }
    return ColorDescription(
      coding: ColorDescription.Coding(primaries: primaries, transfer: transfer),
      masteringDisplay: file.masteringDisplay,
      contentLight: file.contentLight)
  }

  /// The weights that compute red, green and blue from the stored brightness, the two stored colours, and the constant
  /// one.
  ///
  /// The stored colours are multiplied by sixteen, and `most` is the value of white. The result is nil for an unknown
  /// matrix.
  func weights(_ coding: HEVCSequence, most: Double) -> [Float]? {
    let luma = Double(1 << (coding.bitDepth - 8)), color = Double(1 << (coding.chromaBitDepth - 8))
    let black = isFullRange ? 0 : 16 * luma
    let span = isFullRange ? Double(1 << coding.bitDepth) - 1 : 219 * luma
    let middle = 128 * color
    // The two colours range from minus a half to a half.
    let width = isFullRange ? Double(1 << coding.chromaBitDepth) - 1 : 224 * color
    let y = most / span
    let grey = [y, 0, 0, -black * y]
    if coding.chroma == 0 { return (grey + grey + grey).map(Float.init) }
    let c = most / width / 16
    func row(_ weight: Double, _ blue: Double, _ red: Double) -> [Double] {
      [weight * y, blue * c, red * c, -weight * black * y - (blue + red) * c * middle * 16]
    }
    switch matrix {
    case 0:
      // The planes are green, blue and red themselves.
      guard coding.chroma == 3 else { return nil }
      let c = most / (isFullRange ? width : 219 * color) / 16
      let (blue, red) = (
        [0, c, 0, -c * 16 * (isFullRange ? 0 : 16 * color)], [0, 0, c, -c * 16 * (isFullRange ? 0 : 16 * color)]
      )
      return (red + grey + blue).map(Float.init)
    case 8: return (row(1, -1, 1) + row(1, 1, 0) + row(1, -1, -1)).map(Float.init)
    default:
      guard let (red, blue) = lumaOfRedAndBlue else { return nil }
      let green = 1 - red - blue
      let rows =
        row(1, 0, 2 * (1 - red)) + row(1, -2 * (1 - blue) * blue / green, -2 * (1 - red) * red / green)
        + row(1, 2 * (1 - blue), 0)
      return rows.map(Float.init)
    }
  }

  /// The shares of red and blue in the brightness.
  private var lumaOfRedAndBlue: (Double, Double)? {
    switch matrix {
    case 1: (0.2126, 0.0722)
    case 4: (0.3, 0.11)
    case 7: (0.212, 0.087)
    // For a matrix with a constant brightness, all viewers use the usual matrix of the same primaries.
    case 9, 10: (0.2627, 0.0593)
    // Pictures without a stated matrix have the matrix of JPEG.
    case 2, 5, 6: (0.299, 0.114)
    case 12: primaries == 9 ? (0.2627, 0.0593) : primaries == 1 || primaries == 12 ? (0.2126, 0.0722) : (0.299, 0.114)
    default: nil
    }
  }
}
