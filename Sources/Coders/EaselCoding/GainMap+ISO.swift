import EaselCore

/// The binary form of ISO 21496-1.
extension GainMap.Formula {
  /// Reads the block that follows the name of the standard; returns nil for a block that is cut, that has a later
  /// version, or that has numbers out of range.
  package init?(iso21496 bytes: some Collection<UInt8>) {
    var reader = Reader(rest: Array(bytes.prefix(Self.mostBytes))[...])
    // A reader must understand the minimum version; the version of the writer does not matter.
    guard let minimum = reader.number(bytes: 2), minimum == 0, reader.number(bytes: 2) != nil,
      let flags = reader.number(bytes: 1)
    else { return nil }
    let channels = flags & Self.severalChannels != 0 ? 3 : 1
    let denominator = flags & Self.commonDenominator != 0 ? reader.number(bytes: 4) : nil
    func unsigned() -> Double? { reader.fraction(isSigned: false, denominator) }
    func signed() -> Double? { reader.fraction(isSigned: true, denominator) }
    guard flags & Self.commonDenominator == 0 || denominator != nil, let base = unsigned(), let alternate = unsigned()
    else { return nil }
    var columns: [[Double]] = []
    for _ in 0..<channels {
      guard let least = signed(), let greatest = signed(), let gamma = unsigned(), let baseOffset = signed(),
        let alternateOffset = signed()
      else { return nil }
      columns.append([least, greatest, gamma, baseOffset, alternateOffset])
    }
    let rows = (0..<5).map { row in SIMD3((0..<3).map { columns[min($0, channels - 1)][row] }) }
    self.init(
      leastGain: rows[0], greatestGain: rows[1], gamma: rows[2], baseOffset: rows[3], alternateOffset: rows[4],
      baseHeadroom: base, alternateHeadroom: alternate, usesBaseColors: flags & Self.baseColors != 0)
    guard isValid else { return nil }
  }

  /// The block that follows the name of the standard in a file.
  package var iso21496: [UInt8] {
    let rows = [leastGain, greatestGain, gamma, baseOffset, alternateOffset]
    let isSame = rows.allSatisfy { $0.x == $0.y && $0.y == $0.z }
    var bytes: [UInt8] = [0, 0, 0, 0]
    bytes.append(UInt8((isSame ? 0 : Self.severalChannels) | (usesBaseColors ? Self.baseColors : 0)))
    func append(_ value: Double) {
      // All numbers of a valid formula fit with this denominator.
      let numerator = Int32((value * Double(Self.writtenDenominator)).rounded())
      for word in [UInt32(bitPattern: numerator), Self.writtenDenominator] {
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
      }
    }
    append(baseHeadroom)
    append(alternateHeadroom)
    for channel in 0..<(isSame ? 1 : 3) { for row in rows { append(row[channel]) } }
    return bytes
  }

  private static let (severalChannels, baseColors, commonDenominator) = (0x80, 0x40, 0x08)
  private static let writtenDenominator: UInt32 = 1_000_000
  /// The size of the largest block, which has three channels and a denominator for each number.
  private static let mostBytes = 5 + 16 + 3 * 40

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func number(bytes count: Int) -> Int? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func fraction(isSigned: Bool, _ common: Int?) -> Double? {
      guard let above = number(bytes: 4), let below = common ?? number(bytes: 4), below > 0 else { return nil }
      return Double(isSigned ? Int(Int32(truncatingIfNeeded: above)) : above) / Double(below)
    }
  }
}

extension SIMD3<Double> {
  fileprivate init(_ values: [Double]) { self.init(values[0], values[1], values[2]) }
}
