#pragma once
struct Shape {
  short width;
  double height;
};
