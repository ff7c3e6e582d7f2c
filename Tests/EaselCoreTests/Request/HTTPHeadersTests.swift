import EaselCore
import FoundationEssentials
import Testing

struct HTTPHeadersTests {
  private func pairs(_ headers: HTTPHeaders) -> [String] { headers.fields.map { "\($0.name): \($0.value)" } }

  @Test func namesAreFoundWithoutRegardToCaseAndKeptAsSpelled() {
    let headers: HTTPHeaders = ["ETag": "1", "content-type": "image/png"]
    #expect(headers["etag"] == "1")
    #expect(headers["CONTENT-TYPE"] == "image/png")
    #expect(headers["Content"] == nil)
    #expect(pairs(headers) == ["ETag: 1", "content-type: image/png"])
  }

  @Test func onlyASCIILettersHaveCase() {
    // Unicode folds the Kelvin sign to K, but HTTP does not; the at sign and the backquote differ by the bit of case.
    let headers: HTTPHeaders = ["\u{212a}": "kelvin", "k": "letter", "@": "at"]
    #expect(headers["K"] == "letter")
    #expect(headers["`"] == nil)
    var merged = headers
    merged.merge(["\u{212a}": "other"])
    #expect(merged["k"] == "letter")
    #expect(merged.values(of: "\u{212a}") == ["other"])
  }

  @Test func severalFieldsOfOneNameAreJoinedInOrder() {
    var headers: HTTPHeaders = ["Vary": "a", "X": "1", "vary": "b"]
    headers.add("VARY", "c")
    #expect(headers["Vary"] == "a, b, c")
    #expect(headers.values(of: "vary") == ["a", "b", "c"])
    #expect(headers.values(of: "none") == [])
  }

  @Test func settingReplacesAllOfTheNameInThePlaceOfTheFirst() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "C": "3", "b": "4"]
    headers["B"] = "5"
    #expect(pairs(headers) == ["A: 1", "B: 5", "C: 3"])
    headers["D"] = "6"
    #expect(pairs(headers) == ["A: 1", "B: 5", "C: 3", "D: 6"])
    headers["a"] = nil
    headers["none"] = nil
    #expect(pairs(headers) == ["B: 5", "C: 3", "D: 6"])
  }

  @Test func mergingTakesAllFieldsOfTheOtherAndDropsTheSameNames() {
    var headers: HTTPHeaders = ["Accept": "a", "Cookie": "x", "cookie": "y", "Z": "1"]
    headers.merge(["COOKIE": "1", "Cookie": "2", "New": "n"])
    #expect(pairs(headers) == ["Accept: a", "Z: 1", "COOKIE: 1", "Cookie: 2", "New: n"])
    headers.merge([:])
    #expect(headers.fields.count == 5)
  }

  @Test func emptyNamesAndValuesAreFieldsLikeOthers() {
    var headers = HTTPHeaders()
    #expect(headers.isEmpty && headers[""] == nil)
    headers.add("", "")
    #expect(!headers.isEmpty && headers[""] == "")
  }

  @Test func fieldsComeBackFromJSONInOrder() throws {
    let headers: HTTPHeaders = ["B": "1", "A": "caf\u{e9}", "b": "\u{0}"]
    let decoded = try JSONDecoder().decode(HTTPHeaders.self, from: JSONEncoder().encode(headers))
    #expect(decoded == headers)
  }
}
