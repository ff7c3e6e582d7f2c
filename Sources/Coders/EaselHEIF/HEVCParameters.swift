import EaselCoding
import EaselCore

/// The parameters of a coded picture in their box, and the units in the bytes of the picture.
enum HEVCParameters {
  /// The most sets of parameters in a box; a picture needs three.
  private static let mostUnits = 64

  /// The parameter sets of an `hvcC` box, and the number of bytes in which each unit of the item states its length.
  static func read(
    _ box: MediaBox, _ bytes: MediaBytes
  ) throws(ImageError) -> (units: [HEVCUnit], lengthBytes: Int) {
    guard let length = bytes.number(at: box.content + 21, bytes: 1),
      let count = bytes.number(at: box.content + 22, bytes: 1)
    else { throw .bad("HEIF", "the parameters for the decoder are damaged") }
    var units: [HEVCUnit] = []
    var place = box.content + 23
    for _ in 0..<count {
      guard let number = bytes.number(at: place + 1, bytes: 2) else { break }
      place += 3
      for _ in 0..<number {
        guard let size = bytes.number(at: place, bytes: 2), place + 2 + size <= box.end,
          let content = bytes.bytes(in: place + 2..<place + 2 + size)
        else { throw .bad("HEIF", "the parameters for the decoder are damaged") }
        place += 2 + size
        guard let unit = HEVCUnit(content), unit.isParameters else { continue }
        units.append(unit)
        guard units.count <= mostUnits else {
          throw ImageError(
            .limitExceeded, "HEIF: a picture has more than \(mostUnits) sets of parameters, which is the limit.")
        }
      }
    }
    return (units, length & 3 + 1)
  }

  /// The values that the parameters state about the pictures; several sets must agree.
  static func sequence(_ units: [HEVCUnit]) throws(ImageError) -> HEVCSequence {
    var sequence: HEVCSequence?
    for unit in units where unit.isSequenceParameters {
      guard let read = HEVCSequence(unit.bytes) else {
        throw .bad("HEIF", "the parameters of the coding are damaged, or of a kind that pictures do not have")
      }
      if let sequence, !sequence.isLike(read) {
        throw .bad("HEIF", "the parameters of the coding contradict each other")
      }
      sequence = sequence ?? read
    }
    guard let sequence else { throw .bad("HEIF", "the coding has no parameters") }
    return sequence
  }

  /// The units of an item, each preceded by its length; the last unit is shorter if the file is cut off.
  static func units(in data: UnsafeRawBufferPointer, lengthBytes: Int) -> [HEVCUnit] {
    let numbers = MediaBytes(data)
    var (units, place) = ([HEVCUnit](), 0)
    while let length = numbers.number(at: place, bytes: lengthBytes) {
      let start = place + lengthBytes
      let end = min(data.count, start + length)
      if let unit = HEVCUnit(UnsafeRawBufferPointer(rebasing: data[start..<end])) { units.append(unit) }
      place = start + length
    }
    return units
  }
}
