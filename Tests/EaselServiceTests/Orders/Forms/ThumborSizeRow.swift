import EaselCore

/// A part of a URL of thumbor, and the size that a picture gets by it.
struct ThumborSizeRow {
  let parts: String
  let picture: PixelSize
  /// The size that thumbor 7.8 made, such as `30x20`, or `error`.
  let size: String
  /// The size here, if it is another one.
  let ownSize: String?
  let reason: String?

  /// Reads a table of lines with the parts, the sizes of pictures, the size of the result, and where it differs also
  /// the size here and the reason.
  static func rows(_ table: String) -> [ThumborSizeRow] {
    table.split(separator: "\n").flatMap { line in
      let columns = line.split(separator: " | ").map { $0.split(separator: " ").map(String.init) }
      precondition(columns.count == 3 || columns.count == 5, "\(line) has \(columns.count) columns")
      return columns[1].map { picture in
        let sides = picture.split(separator: "x").compactMap { Int($0) }
        return ThumborSizeRow(
          parts: columns[0][0] == "-" ? "" : columns[0][0], picture: PixelSize(width: sides[0], height: sides[1]),
          size: columns[2][0], ownSize: columns.count > 3 ? columns[3][0] : nil,
          reason: columns.count > 4 ? columns[4].joined(separator: " ") : nil)
      }
    }
  }

  static let all = rows(shapes) + rows(filters)
}
