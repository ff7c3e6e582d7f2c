import Easel

/// The places of pictures on a sheet.
struct MontageLayout: Hashable, Sendable {
  let field: PixelSize
  let columns: Int
  let rows: Int
  let gap: Int
  /// The height of the labels below the fields; 0 without labels.
  let labelHeight: Int

  init(count: Int, field: PixelSize, columns: Int?, gap: Int, labelHeight: Int = 0) {
    (self.field, self.gap, self.labelHeight) = (field, gap, labelHeight)
    self.columns = min(max(1, count), columns ?? max(1, Int(Double(count).squareRoot().rounded(.up))))
    rows = (max(1, count) + self.columns - 1) / self.columns
  }

  /// The size of the sheet; impossibly long sides are clipped to the largest number.
  var size: PixelSize {
    PixelSize(width: Self.length(columns, field.width, gap), height: Self.length(rows, field.height + labelHeight, gap))
  }

  private static func length(_ count: Int, _ side: Int, _ gap: Int) -> Int {
    let (length, overflows) = count.multipliedReportingOverflow(by: side + gap)
    return overflows ? .max : min(length, .max - gap) + gap
  }

  /// The top left corner of a picture that is centred in its field.
  func place(of picture: PixelSize, at index: Int) -> (x: Int, y: Int) {
    (
      gap + index % columns * (field.width + gap) + (field.width - picture.width) / 2,
      rowTop(index / columns) + (field.height - picture.height) / 2
    )
  }

  func labelTop(ofRow row: Int) -> Int { rowTop(row) + field.height }

  private func rowTop(_ row: Int) -> Int { gap + row * (field.height + labelHeight + gap) }

  /// The names of pictures by row, each name with its column.
  func labels(_ names: [Int: String]) -> [(row: Int, texts: [(column: Int, text: String)])] {
    let rows = Dictionary(grouping: names.sorted { $0.key < $1.key }) { $0.key / columns }
    return rows.sorted { $0.key < $1.key }.map { row, entries in
      (row: row, texts: entries.map { (column: $0.key % columns, text: $0.value) })
    }
  }
}
