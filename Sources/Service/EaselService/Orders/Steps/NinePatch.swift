import EaselCore
import EaselPixels

/// A picture whose parts are stretched to any size, as black pixels in its border of one pixel say.
///
/// Black pixels at the top and the left are beside what is stretched; those at the right and the bottom are beside what
/// lies over the picture in the frame.
struct NinePatch {
  /// A run of columns or rows.
  struct Run: Hashable {
    let start: Int
    let length: Int
    let isStretched: Bool
  }

  let columns: [Run]
  let rows: [Run]
  /// What the frame adds to the picture's sides.
  let padding: (left: Int, top: Int, right: Int, bottom: Int)
  /// The picture without its border.
  private let content: Bitmap

  private static let mostRuns = 64

  init(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) {
    guard bitmap.width >= 3, bitmap.height >= 3 else {
      throw ImageError(
        .transformFailed,
        "A frame needs a border of one pixel around at least one pixel, but the picture is \(bitmap.size).")
    }
    let picture = try bitmap.converted(to: .rgba8, work: work)
    let (right, bottom) = (picture.width - 1, picture.height - 1)
    func marks(_ length: Int, _ place: (Int) -> (x: Int, y: Int)) -> [Bool] {
      (1..<length).map { picture.pixel(x: place($0).x, y: place($0).y) == .black }
    }
    columns = Self.runs(of: marks(right) { ($0, 0) })
    rows = Self.runs(of: marks(bottom) { (0, $0) })
    guard columns.count <= Self.mostRuns, rows.count <= Self.mostRuns else {
      throw ImageError(
        .limitExceeded, "The frame has more than \(Self.mostRuns) parts that are stretched or not, along one side.")
    }
    let (left, top) = (Self.ends(of: marks(right) { ($0, bottom) }), Self.ends(of: marks(bottom) { (right, $0) }))
    padding = (left.before, top.before, left.after, top.after)
    content = try picture.cropped(to: PixelRect(x: 1, y: 1, width: right - 1, height: bottom - 1))
  }

  private static func runs(of marks: [Bool]) -> [Run] {
    var runs: [Run] = []
    for (place, isStretched) in marks.enumerated() {
      if let last = runs.last, last.isStretched == isStretched {
        runs[runs.count - 1] = Run(start: last.start, length: last.length + 1, isStretched: isStretched)
      } else {
        runs.append(Run(start: place, length: 1, isStretched: isStretched))
      }
    }
    return runs
  }

  /// The numbers of pixels before the first mark and after the last one; none without marks.
  private static func ends(of marks: [Bool]) -> (before: Int, after: Int) {
    guard let first = marks.firstIndex(of: true), let last = marks.lastIndex(of: true) else { return (0, 0) }
    return (first, marks.count - 1 - last)
  }

  /// The ends of runs along a side of this length: stretched runs share the room that the others leave.
  ///
  /// Without enough room for the others, these share it all.
  static func ends(of runs: [Run], in full: Int) -> [Int] {
    func length(_ isStretched: Bool) -> Int { runs.reduce(0) { $0 + ($1.isStretched == isStretched ? $1.length : 0) } }
    let (fixed, stretched) = (length(false), length(true))
    let room = max(0, full - fixed)
    var (place, ends) = (0.0, [Int]())
    for run in runs {
      if run.isStretched {
        place += Double(run.length) / Double(stretched) * Double(room)
      } else {
        place += Double(run.length) * min(1, Double(full) / Double(fixed))
      }
      ends.append(min(full, Int(place.rounded())))
    }
    return ends
  }

  /// The frame at a size.
  func drawn(at size: PixelSize, work: WorkContext) throws(ImageError) -> Bitmap {
    var canvas = try Bitmap(size: size, format: .rgba8)
    let (rights, bottoms) = (Self.ends(of: columns, in: size.width), Self.ends(of: rows, in: size.height))
    var y = 0
    for (row, bottom) in zip(rows, bottoms) {
      var x = 0
      for (column, right) in zip(columns, rights) {
        try work.checkCancellation()
        let target = PixelSize(width: right - x, height: bottom - y)
        if !target.isEmpty {
          var cell = try content.cropped(
            to: PixelRect(x: column.start, y: row.start, width: column.length, height: row.length))
          if cell.size != target { cell = try cell.resized(to: target, filter: .bilinear, work: work) }
          canvas.lay(cell, x: x, y: y, isBlended: false)
        }
        x = right
      }
      y = bottom
    }
    return canvas
  }
}
