import EaselCore
import HTTPTypes

extension HTTPHeaders {
  /// Takes the fields of a request or a response.
  public init(_ fields: HTTPFields) { self.init(fields.map { ($0.name.rawName, $0.value) }) }
}

extension HTTPFields {
  /// Takes the fields of Easel; a field whose name is none in HTTP is left out.
  public init(_ headers: HTTPHeaders) {
    self.init()
    reserveCapacity(headers.fields.count)
    for field in headers.fields {
      if let name = HTTPField.Name(field.name) { append(HTTPField(name: name, value: field.value)) }
    }
  }
}
