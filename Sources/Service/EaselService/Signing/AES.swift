/// Decrypts with AES in the mode CBC (FIPS 197 and SP 800-38A), as sources in URLs are encrypted.
///
/// It takes as long for one key as for another only as far as a table in the cache of the processor does, which is enough
/// for texts of which nobody measures single blocks.
struct AES: Sendable {
  private static let blockBytes = 16
  /// The tables of the bytes that take the place of others, forwards and backwards.
  private static let boxes: (forward: [UInt8], backward: [UInt8]) = {
    var (forward, backward) = ([UInt8](repeating: 0, count: 256), [UInt8](repeating: 0, count: 256))
    // The powers of 3 run through all bytes but 0, those of its inverse backwards.
    var (power, inverse): (UInt8, UInt8) = (1, 1)
    repeat {
      power ^= doubled(power)
      inverse = multiplied(inverse, 0xf6)
      var box = inverse
      for shift in 1...4 { box ^= inverse << UInt8(shift) | inverse >> UInt8(8 - shift) }
      forward[Int(power)] = box ^ 0x63
    } while power != 1
    forward[0] = 0x63
    for (byte, box) in forward.enumerated() { backward[Int(box)] = UInt8(byte) }
    return (forward, backward)
  }()
  /// The products of each byte with 14, 11, 13 and 9.
  private static let products: [[UInt8]] = [14, 11, 13, 9].map { factor in
    (0..<256).map { multiplied(UInt8($0), factor) }
  }

  /// The keys of the rounds, 16 bytes each.
  private let keys: [[UInt8]]

  /// Creates a cipher from a key of 16, 24 or 32 bytes; nil for another length.
  init?(key: [UInt8]) {
    guard [16, 24, 32].contains(key.count) else { return nil }
    let length = key.count / 4
    var words = (0..<length).map { Array(key[4 * $0..<4 * $0 + 4]) }
    var constant: UInt8 = 1
    for index in length..<4 * (length + 7) {
      var word = words[index - 1]
      if index % length == 0 {
        word = Array(word[1...] + word[..<1]).map { Self.boxes.forward[Int($0)] }
        word[0] ^= constant
        constant = Self.doubled(constant)
      } else if length > 6, index % length == 4 {
        word = word.map { Self.boxes.forward[Int($0)] }
      }
      words.append(zip(words[index - length], word).map { $0 ^ $1 })
    }
    keys = stride(from: 0, to: words.count, by: 4).map { Array(words[$0..<$0 + 4].joined()) }
  }

  /// The bytes of a message whose first block is the start value; nil if it is none.
  ///
  /// The last block is filled up with bytes that state their number (RFC 5652 section 6.3).
  func decrypted(_ message: [UInt8]) -> [UInt8]? {
    guard message.count >= 2 * Self.blockBytes, message.count.isMultiple(of: Self.blockBytes) else { return nil }
    var plain: [UInt8] = []
    for start in stride(from: Self.blockBytes, to: message.count, by: Self.blockBytes) {
      let block = decrypted(block: Array(message[start..<start + Self.blockBytes]))
      plain += zip(block, message[start - Self.blockBytes..<start]).map { $0 ^ $1 }
    }
    let filling = Int(plain[plain.count - 1])
    guard (1...Self.blockBytes).contains(filling), plain.suffix(filling).allSatisfy({ Int($0) == filling }) else {
      return nil
    }
    return Array(plain.dropLast(filling))
  }

  func decrypted(block: [UInt8]) -> [UInt8] {
    var state = zip(block, keys[keys.count - 1]).map { $0 ^ $1 }
    for round in (0..<keys.count - 1).reversed() {
      // Each row was shifted by its number.
      var next = (0..<16).map { Self.boxes.backward[Int(state[($0 + 16 - 4 * ($0 % 4)) % 16])] }
      for index in next.indices { next[index] ^= keys[round][index] }
      state = round == 0 ? next : Self.unmixed(next)
    }
    return state
  }

  private static func unmixed(_ state: [UInt8]) -> [UInt8] {
    state.indices.map { index in
      let column = index - index % 4
      return (0..<4).reduce(UInt8(0)) { sum, row in
        sum ^ products[row][Int(state[column + (index + row) % 4])]
      }
    }
  }

  private static func doubled(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte & 0x80 == 0 ? 0 : 0x1b) }

  private static func multiplied(_ byte: UInt8, _ factor: UInt8) -> UInt8 {
    var (sum, term, rest): (UInt8, UInt8, UInt8) = (0, byte, factor)
    while rest > 0 {
      if rest & 1 == 1 { sum ^= term }
      term = doubled(term)
      rest >>= 1
    }
    return sum
  }
}
