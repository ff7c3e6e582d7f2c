/// The box at the start of a file, which names the formats that the file keeps to.
enum HEIFSignature {
  private static let brands = ["heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs"].map { Array($0.utf8) }
  private static let others = ["avif", "avis"].map { Array($0.utf8) }

  /// True if the first brand, or one of the others as far as they can be seen, is that of a picture coded as HEVC.
  ///
  /// A file that keeps to AVIF as well is left to the coder of AVIF.
  static func isPresent(in prefix: [UInt8]) -> Bool {
    guard prefix.count >= 16, prefix[4..<8].elementsEqual("ftyp".utf8) else { return false }
    let count = prefix[0..<4].reduce(0) { $0 << 8 | Int($1) }
    guard count >= 16, count % 4 == 0 else { return false }
    let seen = ([8] + stride(from: 16, to: min(count, prefix.count), by: 4)).map { place in
      Array(prefix[place..<min(place + 4, prefix.count)])
    }
    return seen.contains(where: brands.contains) && !seen.contains(where: others.contains)
  }
}
