/// The box at the start of a file, which names the formats that the file keeps to.
enum AVIFSignature {
  /// True if the first brand, or one of the others as far as they can be seen, is that of a picture or a sequence.
  static func isPresent(in prefix: [UInt8]) -> Bool {
    guard prefix.count >= 16, prefix[4..<8].elementsEqual("ftyp".utf8) else { return false }
    let count = prefix[0..<4].reduce(0) { $0 << 8 | Int($1) }
    guard count >= 16, count % 4 == 0 else { return false }
    return ([8] + stride(from: 16, to: min(count, prefix.count), by: 4)).contains { place in
      let brand = prefix[place..<min(place + 4, prefix.count)]
      return brand.elementsEqual("avif".utf8) || brand.elementsEqual("avis".utf8)
    }
  }
}
