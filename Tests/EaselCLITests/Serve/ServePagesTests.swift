import EaselTestSupport
import Foundation
import Testing

@testable import EaselCLI
@testable import EaselService

/// The tables of the guides that follow from the code.
///
/// To write them anew: `EASEL_WRITE_PAGES=1 script/test --only EaselCLITests --filter ServePagesTests`.
@Suite(.serialized) struct ServePagesTests {
  @Test func theTableOfOptionsIsUpToDate() throws {
    let rows = ImgproxyOption.all.map { option in
      let names = option.names.map { "`\($0)`" }.joined(separator: ", ")
      return [names, "`\(option.arguments)`", option.help + (option.isGuarded ? " Only in presets." : "")]
    }
    try Self.check("URLOptions.md", "options", ["option", "arguments", "what it does"], rows)
  }

  @Test func theTableOfRefusedOptionsIsUpToDate() throws {
    let long = ImgproxyOption.refused.filter { !$0.value.hasPrefix("see ") }
    let rows = long.keys.sorted().map { name in
      let short = ImgproxyOption.refused.filter { $0.value == "see \(name)" }.keys.sorted()
      return [([name] + short).map { "`\($0)`" }.joined(separator: ", "), long[name] ?? ""]
    }
    try Self.check("ComingFromImgproxy.md", "refused options", ["option", "the reason"], rows)
  }

  @Test func theTablesOfFiltersAreUpToDate() throws {
    let rows = ThumborFilter.all.map { ["`\($0.name)`", $0.arguments.isEmpty ? "" : "`\($0.arguments)`", $0.help] }
    try Self.check("ComingFromThumbor.md", "filters", ["filter", "arguments", "what it does"], rows)
    let refused = ThumborFilter.refused.sorted { $0.key < $1.key }.map { ["`\($0.key)`", $0.value] }
    try Self.check("ComingFromThumbor.md", "refused filters", ["filter", "the reason"], refused)
  }

  @Test func theTableOfSettingsIsUpToDate() throws {
    let rows = ServeTable.settings.map { setting in
      let value = setting.option.placeholder.map { "`\($0)`" } ?? "`true`"
      return [
        "`\(setting.name)`" + (setting.option.mayRepeat ? ", repeated" : ""), value,
        setting.defaultText.map { "`\($0)`" } ?? "", setting.change == .live ? "SIGHUP" : "restart",
        setting.option.help,
      ]
    }
    let head = ["setting", "value", "default", "changed by", "what it does"]
    try Self.check("RunningThePictureServer.md", "settings", head, rows)
  }

  @Test func theTableOfMetricsIsUpToDate() throws {
    let text = ServiceMetrics(version: "1").text()
    var helps: [(name: String, help: String)] = []
    var kinds: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      guard words.count == 4, words[0] == "#" else { continue }
      if words[1] == "HELP" { helps.append((words[2], words[3])) } else { kinds[words[2]] = words[3] }
    }
    #expect(helps.count > 10 && helps.allSatisfy { kinds[$0.name] != nil })
    let rows = helps.map { ["`\($0.name)`", kinds[$0.name] ?? "", $0.help] }
    try Self.check("RunningThePictureServer.md", "metrics", ["metric", "kind", "what it counts"], rows)
  }

  @Test(arguments: ["ComingFromImgproxy.md", "ComingFromThumbor.md"])
  func settingsThatPagesNameExist(_ page: String) throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent(page), encoding: .utf8)
    let known = Set(ServeTable.settings.map(\.name) + ["config", "check"])
    var count = 0
    for line in text.split(separator: "\n") where line.hasPrefix("| `IMGPROXY_") || line.hasPrefix("| `THUMBOR:") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let names = cells[1].matches(of: /`([a-z-]+)/).map { String($0.1) }
      count += names.count
      for name in names {
        #expect(known.contains(name), "\(page) names the setting \(name), which does not exist.")
      }
    }
    #expect(count > 3)
  }

  // MARK: Pages

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/Easel/Easel.docc")

  /// Compares the table between two comments of a page with one made of these rows, or writes it there.
  private static func check(_ page: String, _ name: String, _ head: [String], _ rows: [[String]]) throws {
    let file = folder.appendingPathComponent(page)
    let text = try String(contentsOf: file, encoding: .utf8)
    let beginning = "<!-- table: \(name) -->\n"
    let start = try #require(text.range(of: beginning), "\(page) has no table of \(name).").upperBound
    let end = try #require(text.range(of: "<!-- end of table -->", range: start..<text.endIndex)).lowerBound
    let lines = [head, head.map { _ in "---" }] + rows.map { row in row.map { $0.replacing("|", with: "\\|") } }
    let table = "\n" + lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined() + "\n"
    if ProcessInfo.processInfo.environment["EASEL_WRITE_PAGES"] != nil {
      try text.replacingCharacters(in: start..<end, with: table).write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(
        text[start..<end] == table,
        "\(page) is stale. Run EASEL_WRITE_PAGES=1 script/test --only EaselCLITests --filter ServePagesTests.")
    }
  }
}
