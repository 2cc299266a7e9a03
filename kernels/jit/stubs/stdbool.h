/* bool is C++. */
