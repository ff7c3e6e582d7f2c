import AdapterStudio
import Easel
import EaselHTTPTypes
import EaselService
import HTTPTypes
import Testing

struct HTTPTypesTests {
  @Test func fieldsGoThereAndBack() {
    let headers: HTTPHeaders = ["Vary": "Accept", "X-Token": "a", "Set-Cookie": "b"]
    #expect(HTTPHeaders(HTTPFields(headers)) == headers)
    var several = HTTPHeaders([("Vary", "Accept")])
    several.add("Vary", "Width")
    #expect(HTTPFields(several)[values: .vary] == ["Accept", "Width"])
    // Names that HTTP does not allow stay out.
    #expect(HTTPFields(["bad name": "x", "Good": "y"]).count == 1)
  }

  @Test func aRequestKeepsItsPathAsItWasSent() {
    let path = "/pictures/unsafe/plain/http%3A%2F%2Fhost/a.png?x=%20"
    var request = HTTPRequest(method: .get, scheme: "http", authority: "host", path: path)
    request.headerFields[.accept] = "image/webp"
    let wanted = ServiceRequest(request, clientAddress: "192.0.2.1")
    #expect(wanted.target == path && wanted.method == "GET" && !wanted.hasBody)
    #expect(wanted.headers["Accept"] == "image/webp" && wanted.clientAddress == "192.0.2.1")
    request.headerFields[.contentLength] = "4"
    #expect(ServiceRequest(request).hasBody)
    request.headerFields[.contentLength] = "0"
    #expect(!ServiceRequest(request).hasBody)
    request.headerFields[.transferEncoding] = "chunked"
    #expect(ServiceRequest(request).hasBody)
  }

  @Test func anAnswerBecomesAResponse() async throws {
    let answer = try await AdapterStudio().pictures.response(to: .init(target: AdapterStudio.path))
    let response = HTTPResponse(answer)
    #expect(response.status == .ok && response.headerFields[.contentType] == "image/png")
    var count = 0
    for try await part in answer.parts { count += part.count }
    #expect(response.headerFields[.contentLength] == String(count) && count > 0)
  }
}
