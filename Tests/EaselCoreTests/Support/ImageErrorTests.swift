import EaselCore
import Testing

struct ImageErrorTests {
  private struct Plain: Error, CustomStringConvertible { let description: String }

  @Test(arguments: [
    (1000, "invalidURL"), (1001, "badImageData"), (1002, "notModified"), (1003, "blockedURL"), (1004, "notInCache"),
    (1005, "unsupportedFormat"), (1006, "unsupportedURL"), (1007, "limitExceeded"), (1008, "transformFailed"),
    (1009, "encodeFailed"), (1010, "cacheFailed"), (1011, "decoderCrashed"), (1012, "refusedURL"), (1013, "overloaded"),
    (2000, "invalidRequest"), (2001, "badStatus"), (2002, "cancelled"),
    (2003, "invalidResponse"), (2004, "badContentType"), (2005, "timedOut"), (2006, "network"),
    (2007, "forbiddenAddress"), (2008, "truncatedBody"),
  ])
  func everyCodeHasItsNumberAndName(number: Int, name: String) throws {
    #expect(try #require(ImageError.Code(rawValue: number)).name == name)
  }

  @Test func thereAreNoOtherCodes() { #expect(ImageError.Code.allCases.count == 23) }

  /// The name of the type gives the same codes, so that a `catch` can name one.
  @Test func everyCodeIsAMemberOfTheType() {
    let codes = [
      ImageError.invalidURL, ImageError.badImageData, ImageError.notModified, ImageError.blockedURL,
      ImageError.notInCache, ImageError.unsupportedFormat, ImageError.unsupportedURL, ImageError.limitExceeded,
      ImageError.transformFailed, ImageError.encodeFailed, ImageError.cacheFailed, ImageError.decoderCrashed,
      ImageError.refusedURL, ImageError.overloaded, ImageError.invalidRequest, ImageError.badStatus,
      ImageError.cancelled, ImageError.invalidResponse, ImageError.badContentType, ImageError.timedOut,
      ImageError.network, ImageError.forbiddenAddress, ImageError.truncatedBody,
    ]
    #expect(codes == ImageError.Code.allCases)
  }

  @Test func aCatchNamesACode() {
    func caught(_ error: any Error) -> String {
      do {
        throw error
      } catch ImageError.notInCache {
        return "not there"
      } catch ImageError.cancelled, ImageError.timedOut {
        return "too late"
      } catch {
        return "another"
      }
    }
    #expect(caught(ImageError(.notInCache, "x")) == "not there")
    #expect(caught(ImageError(.timedOut, "x")) == "too late" && caught(ImageError(.cancelled, "x")) == "too late")
    #expect(caught(ImageError(.network, "x")) == "another" && caught(Plain(description: "x")) == "another")
  }

  @Test func theDescriptionSaysWhatHappenedToWhatAndWhy() {
    #expect("\(ImageError(.timedOut, "It took too long."))" == "timedOut: It took too long.")
    #expect("\(ImageError(.timedOut, "Too long.", subject: "http://foo"))" == "timedOut: Too long. (http://foo)")
    #expect("\(ImageError(.timedOut, "http://foo is slow.", subject: "http://foo"))" == "timedOut: http://foo is slow.")
    let causes = [Plain(description: "one"), Plain(description: "two")]
    #expect("\(ImageError(.network, "Failed.", causes: causes))" == "network: Failed. Cause: one; two")
  }

  @Test func aPluginsOwnErrorIsKeptAsTheCause() {
    let error = ImageError.wrapping(Plain(description: "x"), as: .badImageData, "Bad.", subject: "http://foo")
    #expect(error.code == .badImageData && error.message == "Bad." && error.subject == "http://foo")
    #expect((error.underlyingError as? Plain)?.description == "x")
    #expect(error.causes.count == 1 && !error.isCancellation)
  }

  @Test func anImageErrorPassesAsItIs() {
    let head = ResponseHead(status: 404)
    let cause = Plain(description: "x")
    let known = ImageError(.badStatus, "No.", subject: "http://foo", response: head, cause: cause)
    let error = ImageError.wrapping(
      known, as: .network,
      {
        Issue.record("nobody needs it"); return ""
      }(), subject: "y")
    #expect(error.code == .badStatus && error.message == "No." && error.subject == "http://foo")
    #expect(error.status == 404 && error.underlyingError is Plain)
    let nameless = ImageError.wrapping(ImageError(.network, "x"), as: .timedOut, "", subject: "http://foo")
    #expect(nameless.subject == "http://foo" && nameless.code == .network)
  }

  @Test func aCancelledTaskIsACancelledLoad() {
    let error = ImageError.wrapping(CancellationError(), as: .network, "x", subject: "http://foo")
    #expect(error.code == .cancelled && error.isCancellation && error.subject == "http://foo")
    #expect(error.causes.isEmpty)
  }

  @Test func systemErrorsSpeakTheSystemsWords() {
    #expect("\(SystemError(code: 2))" == "No such file or directory")
    #expect(SystemError(code: 2) == SystemError(code: 2))
  }
}
