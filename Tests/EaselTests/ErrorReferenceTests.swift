import EaselCore
import Foundation
import Testing

/// The table of the page "Error reference" lists every code with its number.
@Suite struct ErrorReferenceTests {
  @Test func theTableListsEveryCode() throws {
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: project.appendingPathComponent("Sources/Easel/Easel.docc/Errors.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").compactMap { line -> String? in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return cells.count == 4 && Int(cells[0]) != nil ? "\(cells[0]) \(cells[1])" : nil
    }
    #expect(rows == ImageError.Code.allCases.map { "\($0.rawValue) `\($0.name)`" })
  }
}
