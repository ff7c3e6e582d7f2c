/// The way in which the pictures of a file of boxes are coded.
package enum MediaCoding {
  case av1
  case hevc

  /// Reads the box at the start of a file, which names the formats that the file keeps to; nil if it names neither.
  ///
  /// The first brand is the one that the file was made for. Of several others AV1 is taken first.
  package init?(prefix: [UInt8]) {
    guard prefix.count >= 16, prefix[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    let count = prefix[0..<4].reduce(0) { $0 << 8 | Int($1) }
    guard count >= 16, count % 4 == 0 else { return nil }
    // The second four bytes are a version. Of a long list the end may not be there.
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
