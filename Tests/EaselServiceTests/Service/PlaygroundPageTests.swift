import Glibc
import Testing

@testable import EaselCore
@testable import EaselService

/// The page without a browser: its structure and its colours.
struct PlaygroundPageTests {
  // MARK: Colours

  /// The colours of a scheme by name; those of the dark one are the second block.
  private func colors(dark: Bool) throws -> [String: String] {
    let blocks = PlaygroundPage.style.split(separator: ":root {").dropFirst()
    let block = try #require(dark ? blocks.last : blocks.first).prefix { $0 != "}" }
    return Dictionary(
      uniqueKeysWithValues: block.split(separator: ";").compactMap { line -> (String, String)? in
        let parts = line.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
        return parts.count == 2 && parts[0].hasPrefix("--") ? (String(parts[0].dropFirst(2)), parts[1]) : nil
      })
  }

  /// The contrast of two colours as WCAG 2.2 defines it, from 1 to 21.
  private func contrast(_ one: String, _ other: String) throws -> Double {
    func luminance(_ color: String) throws -> Double {
      try #require(color.count == 7 && color.hasPrefix("#"))
      let value = try #require(Int(color.dropFirst(), radix: 16))
      let linear = [16, 8, 0].map { shift -> Double in
        let part = Double(value >> shift & 255) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
    let (first, second) = (try luminance(one), try luminance(other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }

  @Test(arguments: [false, true])
  func textIsReadable(_ isDark: Bool) throws {
    let colors = try colors(dark: isDark)
    for (text, ground) in [
      ("text", "page"), ("text", "field"), ("text", "panel"), ("quiet", "page"), ("quiet", "field"),
      ("bad", "bad-ground"),
    ] {
      let found = try contrast(#require(colors[text]), #require(colors[ground]))
      #expect(found >= 4.5, "\(text) on \(ground)")
    }
  }

  @Test(arguments: [false, true])
  func ringsAndBordersCanBeSeen(_ isDark: Bool) throws {
    let colors = try colors(dark: isDark)
    for mark in ["accent", "line", "bad"] {
      for ground in ["page", "field", "panel"] {
        let found = try contrast(#require(colors[mark]), #require(colors[ground]))
        #expect(found >= 3, "\(mark) on \(ground)")
      }
    }
  }

  @Test func bothSchemesNameTheSameColors() throws {
    let (light, dark) = (try colors(dark: false), try colors(dark: true))
    #expect(Set(light.keys) == Set(dark.keys) && light.count == 10)
    #expect(light["page"] != dark["page"])
  }

  @Test func rulesHaveOnlyNamedColors() throws {
    let rules = try #require(PlaygroundPage.style.firstRange(of: "\nbody {")).lowerBound
    let text = PlaygroundPage.style[rules...]
    for word in ["Highlight", "Canvas", "currentColor", "color-mix", "rgb", "hsl"] { #expect(!text.contains(word)) }
    let digits = text.split(separator: "#").dropFirst().filter { $0.prefix(3).allSatisfy(\.isHexDigit) }
    // Names of elements are not colours.
    #expect(digits.isEmpty, "\(digits.map { $0.prefix(12) })")
    for rule in [
      "::placeholder { color: var(--quiet); opacity: 1; }", ":focus-visible { outline: 3px solid var(--accent)",
    ] {
      #expect(text.contains(rule))
    }
  }

  // MARK: Structure

  @Test func theResultStandsBetweenTheSourceAndTheOptions() throws {
    let places = try ["id=\"source\"", "id=\"after\"", "id=\"width\"", "id=\"url\""].map {
      try #require(PlaygroundPage.html.firstRange(of: $0)).lowerBound
    }
    #expect(places == places.sorted(), "On a phone, what is shown follows the order of the page.")
    #expect(PlaygroundPage.style.contains("#result { background: var(--page); position: sticky; top: 0;"))
  }

  @Test func listsStandBelowTheirLabelsAndHaveShortTexts() {
    let lists = PlaygroundPage.html.components(between: "<select", "</select>")
    #expect(lists.count == 5)
    let wide = PlaygroundPage.html.components(between: "<div class=\"choice\">", "</div>")
    #expect(wide.filter { $0.contains("<select") }.count == lists.count)
    // The narrowest list, on a phone of 320 pixels, has room for 24 letters.
    for list in lists {
      for option in list.components(between: "<option ", "</option>") {
        let text = option.split(separator: ">").last ?? ""
        #expect((1...24).contains(text.count), "\(text)")
      }
    }
  }

  @Test func partsMayBeNarrowerThanTheirContents() {
    #expect(PlaygroundPage.style.contains("fieldset, figure, form > * { min-width: 0; }"))
    // A column of 1fr is never narrower than what is in it.
    let columns = PlaygroundPage.style.components(between: "grid-template-columns:", ";")
    #expect(columns.count == 2)
    for text in columns { #expect(!text.split(separator: "minmax(0, 1fr)").joined().contains("fr"), "\(text)") }
  }

  @Test func everyStateHasItsLook() throws {
    let failed = try #require(PlaygroundPage.style.components(between: "[data-state=failed] #status {", "}").first)
    #expect(failed.contains("var(--bad-ground)") && failed.contains("color: var(--bad)"))
    #expect(!PlaygroundPage.style.components(between: "[data-state=done] #status {", "}").joined().contains("bad"))
    #expect(PlaygroundPage.style.contains("[data-state=working] .pictures"))
    // An error also says so in words.
    #expect(PlaygroundPage.script.contains("show(\"failed\", `Error: ${error.message}`, result)"))
    // Only these two change the state, and the first shows or clears everything that depends on the options.
    #expect(PlaygroundPage.script.components(between: "dataset.state = ", ";") == ["state", "\"working\""])
  }

  @Test func whatTheScriptNamesIsThere() {
    let named = PlaygroundPage.script.components(between: "byId(\"", "\")")
    #expect(named.count > 10)
    for name in named { #expect(PlaygroundPage.html.contains("id=\"\(name)\""), "\(name)") }
  }
}

extension String {
  /// The texts between each start and the next end.
  fileprivate func components(between start: String, _ end: String) -> [String] {
    var (found, rest) = ([String](), self[...])
    while let first = rest.firstRange(of: start) {
      rest = rest[first.upperBound...]
      guard let last = rest.firstRange(of: end) else { break }
      found.append(String(rest[..<last.lowerBound]))
      rest = rest[last.lowerBound...]
    }
    return found
  }
}
