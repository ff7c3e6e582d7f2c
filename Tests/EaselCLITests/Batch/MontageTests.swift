import Easel
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// The places on a sheet.
struct MontageLayoutTests {
  @Test func asManyRowsAsColumns() {
    let field = PixelSize(width: 10, height: 20)
    let layout = MontageLayout(count: 5, field: field, columns: nil, gap: 2)
    #expect(layout.columns == 3 && layout.rows == 2 && layout.size == PixelSize(width: 38, height: 46))
    #expect(layout.place(of: field, at: 0) == (2, 2) && layout.place(of: field, at: 4) == (14, 24))
    #expect(layout.place(of: PixelSize(width: 4, height: 6), at: 3) == (5, 31))
    let row = MontageLayout(count: 3, field: field, columns: 9, gap: 0, labelHeight: 5)
    #expect(row.columns == 3 && row.size == PixelSize(width: 30, height: 25) && row.labelTop(ofRow: 0) == 20)
  }

  @Test func sheetsTooLargeForNumbers() {
    let field = PixelSize(width: 1_000_000, height: 1_000_000)
    let layout = MontageLayout(count: .max / 2, field: field, columns: 10_000, gap: 10_000)
    #expect(layout.size.height > 1 << 60 && layout.size.width == 10_000 * 1_010_000 + 10_000)
  }

  @Test func namesBelowTheirPictures() {
    let layout = MontageLayout(
      count: 3, field: PixelSize(width: 70, height: 9), columns: 2, gap: 4, labelHeight: 20)
    let rows = layout.labels([0: "a<b", 1: "second", 2: "a-name-that-is-too-long"])
    #expect(rows.map { $0.row } == [0, 1] && rows[0].texts.map { $0.column } == [0, 1])
    let svg = MontageLabels(layout: layout, background: .white).svg(rows[0].texts)
    #expect(svg.contains(">a&lt;b</text>") && svg.contains("x=\"113\"") && svg.contains("fill=\"black\""))
    let dark = MontageLabels(layout: layout, background: .black).svg(rows[1].texts)
    #expect(dark.contains("…") && dark.contains("fill=\"white\""))
  }
}

/// Many pictures on one sheet.
@Suite(.tags(.alone))
struct MontageTests {
  @Test func picturesStandInRows() throws {
    try Scratch.with { scratch in
      let paths = try (0..<3).map { try scratch.write(Pictures.png(40, 20, blue: UInt8($0 * 50 + 50)), "p\($0).png") }
      let sheet = scratch.path("sheet.png")
      let outcome = try EaselProcess.run(
        ["montage", "--size", "20", "--columns", "2", "--gap", "4", "--background", "#112233", "-o", sheet, "--json"]
          + paths)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let said = try outcome.object()
      #expect(said["width"] as? Int == 52 && said["height"] as? Int == 52 && said["pictures"] as? Int == 3)
      let bitmap = try Pictures.decoded(scratch.data("sheet.png")).bitmap
      #expect(bitmap.pixel(1, 1) == [0x11, 0x22, 0x33, 255] && bitmap.pixel(14, 14)[2] == 50)
      #expect(bitmap.pixel(38, 14)[2] == 100 && bitmap.pixel(14, 38)[2] == 150)
      // The last field stays empty, and so does the room above a picture that is not as high as its field.
      #expect(bitmap.pixel(38, 38) == [0x11, 0x22, 0x33, 255] && bitmap.pixel(14, 6) == [0x11, 0x22, 0x33, 255])
      let again = try EaselProcess.run(["montage", "-o", sheet] + paths)
      #expect(again.status == 1 && again.errors.contains("is there already"))
    }
  }

  @Test func aPictureThatFailsLeavesItsFieldEmpty() throws {
    try Scratch.with { scratch in
      let good = try scratch.write(try Pictures.png(8, 8), "a.png")
      let bad = try scratch.write(Data("no picture".utf8), "b.png")
      let sheet = scratch.path("sheet.jpg")
      let outcome = try EaselProcess.run(["montage", bad, good, "-o", sheet, "--size", "8"])
      #expect(outcome.status == 1 && outcome.errors.contains("This seems to be a text"))
      #expect(try Pictures.decoded(scratch.data("sheet.jpg")).size == PixelSize(width: 40, height: 24))
      let none = try EaselProcess.run(["montage", bad, "-o", scratch.path("none.png")])
      #expect(none.status == 1 && !FileManager.default.fileExists(atPath: scratch.path("none.png")))
      let huge = try EaselProcess.run(["montage", good, "-o", scratch.path("none.png"), "--size", "100000"])
      #expect(huge.status == 1 && huge.errors.contains("The sheet"))
    }
  }

  @Test func namesAreDrawn() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(try Pictures.png(60, 20), "mmmm.png")
      let sheet = scratch.path("sheet.png")
      let outcome = try EaselProcess.run(["montage", path, "-o", sheet, "--size", "60", "--labels", "--gap", "0"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      let bitmap = try Pictures.decoded(scratch.data("sheet.png")).bitmap
      #expect(bitmap.size == PixelSize(width: 60, height: 80))
      let label = (60..<80).flatMap { y in (0..<60).map { bitmap.pixel($0, y)[0] } }
      // Without fonts there are no letters.
      let hasFonts = FileManager.default.fileExists(atPath: "/usr/share/fonts")
      #expect(label.contains { $0 < 100 } == hasFonts)
    }
  }
}
