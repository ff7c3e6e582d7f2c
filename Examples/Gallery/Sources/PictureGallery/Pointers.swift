import CGTK

/// An object of GTK.
package typealias Object = OpaquePointer

extension OpaquePointer {
  /// The same object as a pointer to a type that the headers of GTK spell out.
  func of<T>(_: T.Type = T.self) -> UnsafeMutablePointer<T> { UnsafeMutablePointer(self) }

  var widget: UnsafeMutablePointer<GtkWidget> { of() }
}

extension UnsafeMutablePointer {
  var object: Object { OpaquePointer(self) }
}
