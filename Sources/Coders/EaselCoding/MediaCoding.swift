/// The video coding of the pictures in a file of boxes.
package enum MediaCoding {
  case av1
  case hevc

  /// Reads the box at the start of a file, which names the brands of the file; nil if it names neither coding.
  ///
  /// The first brand is the main one. If several other brands are known, AV1 takes precedence.
  package init?(prefix: [UInt8]) {
    guard prefix.count >= 16, prefix[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    let count = prefix[0..<4].reduce(0) { $0 << 8 | Int($1) }
    guard count >= 16, count % 4 == 0 else { return nil }
    // The second four bytes are a version. The prefix may cut a long list.
    let brands = ([8] + stride(from: 16, to: min(count, prefix.count), by: 4)).map { place in
      Self(brand: prefix[place..<min(place + 4, prefix.count)])
    }
    guard let coding = brands[0] ?? (brands.contains(.av1) ? .av1 : brands.contains(.hevc) ? .hevc : nil) else {
      return nil
    }
    self = coding
  }

  private init?(brand: ArraySlice<UInt8>) {
    switch String(decoding: brand, as: UTF8.self) {
    case "avif", "avis": self = .av1
    case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs": self = .hevc
    default: return nil
    }
  }
}
